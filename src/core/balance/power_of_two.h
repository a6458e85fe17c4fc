// Power of two choices (S7): draw two replicas by weight, take the one this request would load less.
//
// Where many balancers share a fleet and each knows only a little, least connections herds them all to the same
// replica; two draws do not.
#pragma once

#include <vector>

#include "core/balance/policy.h"

namespace sy::balance {

class PowerOfTwo final : public Policy {
public:
    explicit PowerOfTwo(const Settings& settings) : random_(settings.random) {}

    Slot pick(const Fleet& fleet, const Request& request) override;

private:
    /// Whose stretch of the line from 0 to the total pull this point lies in, as a place in fleet.available().
    std::size_t at_point(std::uint64_t point) const;

    Random random_;
    std::vector<std::uint64_t> ends_;  ///< Where each available replica's stretch ends.
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
