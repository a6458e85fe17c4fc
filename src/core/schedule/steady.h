// Steady: the scheduler for orders that never interrupt. What has started runs to its end.
#pragma once

#include <map>
#include <memory>

#include "core/schedule/desk.h"
#include "core/schedule/fit.h"

namespace sy::schedule {

class Steady final : public Scheduler {
public:
    Steady(std::unique_ptr<queue::Order> order, std::unique_ptr<const Fit> fit,
           std::unique_ptr<place::Placement> placement, std::span<const NodeSpec> nodes)
        : order_(std::move(order)), fit_(std::move(fit)), desk_(std::move(placement), nodes) {}

    DemandId know(const Demand& demand) override;
    void accept(TaskId task, const queue::Candidate& candidate, DemandId demand) override;
    void leave(TaskId task, Instant now) override;
    void start_over(TaskId task, Instant now) override;
    const Decision& decide(Instant now) override;

    std::size_t waiting_count() const override { return desk_.waiting_.size(); }
    std::uint64_t busy_gpus() const override { return desk_.floor_.total_gpus() - desk_.floor_.free_gpus(); }
    bool could_ever_run(DemandId demand) const override {
        return desk_.find_seat(desk_.empty_floor_, demand).has_value();
    }

private:
    void vacate(TaskId task, Seated& seated);

    std::unique_ptr<queue::Order> order_;
    std::unique_ptr<const Fit> fit_;
    Desk desk_;
};

}  // namespace sy::schedule
