// Priority (G1, G6, S5): higher levels first, acceptance order within a level.
//
// Static by default: nobody rises by waiting. With aging A a task of level l stands where one of the highest level
// would stand that came l × A later. The ranks never move, so nothing has to be woken, and the bound is plain: a task
// can be passed only by tasks that came less than (difference of levels) × A after it, 3 × A at most; nobody starves.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Priority final : public Order {
public:
    explicit Priority(Duration aging = Duration::zero()) : aging_(aging) {}

    Rank rank(const Candidate& task) override {
        const auto level = static_cast<Rank>(task.level);
        if (aging_ == Duration::zero()) return level;
        return later(task.submitted, level * aging_).time_since_epoch().count();
    }

    bool ranks_by_level() const override { return aging_ == Duration::zero(); }

private:
    Duration aging_;
};

}  // namespace sy::queue
