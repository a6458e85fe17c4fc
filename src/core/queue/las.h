// Least attained service first: who has had least comes next. Good for the many short jobs of a heavy-tailed mix, with
// no knowledge of lengths.
//
// Service counts in whole slices, so that two equals take turns by the slice instead of by the nanosecond: a feedback
// queue with a limit at every slice.
#pragma once

#include "core/queue/mlfq.h"

namespace sy::queue {

class Las final : public Order {
public:
    Las(Duration slice, Service unit) : slice_(slice), unit_(unit) {}

    Rank rank(const Candidate&) override { return 0; }
    bool interrupts() const override { return true; }
    Ties ties() const override { return Ties::running_first; }

    Duration spell(const Candidate& task, Rank slices, Duration attained) const override {
        if (slices >= kForever / slice_ - 1) return kForever;
        return time_to_attain(slice_ * (slices + 1), unit_, task.gpus) - attained;
    }
    Rank after_spell(const Candidate&, Rank slices) override { return slices + 1; }

private:
    Duration slice_;
    Service unit_;
};

}  // namespace sy::queue
