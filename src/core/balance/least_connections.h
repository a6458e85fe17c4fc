// Least connections (S7): to whom this request would leave the least in flight for its weight; ties go to the lowest
// id.
//
// The load compared is (in flight + 1) / weight, with the new request counted in: by in flight / weight all idle
// replicas would be equal and a single client would never see a weight.
#pragma once

#include "core/balance/load_tree.h"
#include "core/balance/policy.h"

namespace sy::balance {

class LeastConnections final : public Policy {
public:
    explicit LeastConnections(const Settings& /*settings*/) {}

    Slot pick(const Fleet& fleet, const Request& request) override;
    void load_changed(const Fleet& fleet, Slot slot) override;

private:
    LoadTree tree_;
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
