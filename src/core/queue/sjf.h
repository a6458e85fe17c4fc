// Shortest job first (S5): least mean waiting among orders that never interrupt, if lengths are known. Long jobs may
// wait as long as short ones keep coming.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Sjf final : public Order {
public:
    Rank rank(const Candidate& task) override { return task.length.count(); }
};

}  // namespace sy::queue
