// Smallest first: by GPUs asked for. Needs no knowledge of lengths; wide gangs may starve.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Smallest final : public Order {
public:
    Rank rank(const Candidate& task) override { return task.gpus; }
};

}  // namespace sy::queue
