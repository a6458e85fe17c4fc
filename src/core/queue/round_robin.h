// Round robin (S5): everybody runs for a slice of time and goes to the back of the line if somebody waits.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class RoundRobin final : public Order {
public:
    explicit RoundRobin(Duration slice) : slice_(slice) {}

    Rank rank(const Candidate&) override { return ++turn_; }
    bool remembers() const override { return true; }
    bool interrupts() const override { return true; }
    Duration spell(const Candidate&, Rank, Duration) const override { return slice_; }
    Rank after_spell(const Candidate&, Rank) override { return ++turn_; }
    bool spells_need_rivals() const override { return true; }

private:
    Duration slice_;
    Rank turn_ = 0;
};

}  // namespace sy::queue
