// Static priority (G1, S5): higher levels first, acceptance order within a level. Nobody rises by waiting.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Priority final : public Order {
public:
    Rank rank(const Task& task) const override { return static_cast<Rank>(task.spec.level); }
};

}  // namespace sy::queue
