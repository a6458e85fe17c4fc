// Earliest deadline first: optimal for one machine when everything can be met. Tasks without a deadline come last.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Edf final : public Order {
public:
    Rank rank(const Candidate& task) override { return task.deadline.time_since_epoch().count(); }
};

}  // namespace sy::queue
