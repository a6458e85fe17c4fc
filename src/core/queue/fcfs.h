// First come, first served (S5): the order of acceptance and nothing else.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Fcfs final : public Order {
public:
    Rank rank(const Candidate&) override { return 0; }
};

}  // namespace sy::queue
