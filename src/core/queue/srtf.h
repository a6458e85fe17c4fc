// Shortest remaining time first (S5): interrupts for whoever is nearest to its end. Least mean completion on one GPU.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Srtf final : public Order {
public:
    Rank rank(const Candidate& task) override { return task.length.count(); }
    bool interrupts() const override { return true; }
    Motion motion() const override { return Motion::falls; }
    Ties ties() const override { return Ties::as_before; }
};

}  // namespace sy::queue
