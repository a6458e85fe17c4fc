// Shortest remaining service first: what remains times the GPUs it takes. For gangs what srtf is for single GPUs.
#pragma once

#include "core/queue/order.h"

namespace sy::queue {

class Srsf final : public Order {
public:
    Rank rank(const Candidate& task) override { return task.length.count(); }
    bool interrupts() const override { return true; }
    Motion motion() const override { return Motion::falls_by_width; }
    Ties ties() const override { return Ties::as_before; }
};

}  // namespace sy::queue
