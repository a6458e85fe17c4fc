// First come, first served (S5): the order of acceptance and nothing else.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Fcfs final : public Order {
public:
    Rank rank(const Candidate&) override { return 0; }
    bool ranks_by_level() const override { return true; }
};

}  // namespace sy::queue
