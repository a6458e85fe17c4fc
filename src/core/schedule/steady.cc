#include "core/schedule/steady.h"

#include <algorithm>

#include "base/check.h"

namespace sy::schedule {

Desk::Desk(std::unique_ptr<place::Placement> placement, std::span<const NodeSpec> nodes)
    : placement_(std::move(placement)),
      floor_(placement_->pools() ? place::Floor(place::pooled(nodes), false) : place::Floor(nodes)),
      empty_floor_(floor_) {}

void Desk::start(TaskId id, place::Seat seat, Instant now) {
    Seated& task = tasks_.at(id);
    floor_.take(seat, demand(task.demand));
    task.runs = true;
    task.started = now;
    task.seat = seat;
    leaving_.insert({later(now, task.candidate.expected), id});
    decision_.starts.push_back({id, task.candidate.length, std::move(seat)});
}

DemandId Steady::know(const Demand& demand) {
    auto& demands = desk_.demands_;
    const auto known = std::find(demands.begin(), demands.end(), demand);
    if (known == demands.end()) {
        demands.push_back(demand);
        desk_.waiting_.add_lane();
        return DemandId(static_cast<std::uint32_t>(demands.size() - 1));
    }
    return DemandId(static_cast<std::uint32_t>(known - demands.begin()));
}

void Steady::accept(TaskId task, const queue::Candidate& candidate, DemandId demand) {
    const queue::Rank rank = order_->rank(candidate);
    desk_.tasks_.add(task, Seated{candidate, demand, rank, false, {}, {}});
    desk_.waiting_.insert({rank, task}, demand);
    desk_.placement_->arrived(desk_.demand(demand));
}

void Steady::leave(TaskId task, Instant now) {
    Seated& seated = desk_.tasks_.at(task);
    if (seated.runs) {
        vacate(task, seated);
        order_->ended(seated.candidate, now - seated.started);
    } else {
        desk_.waiting_.erase({seated.rank, task}, seated.demand);
    }
    desk_.tasks_.remove(task);
}

void Steady::start_over(TaskId task, Instant) {
    Seated& seated = desk_.tasks_.at(task);
    vacate(task, seated);
    seated.runs = false;
    desk_.waiting_.insert({seated.rank, task}, seated.demand);
}

void Steady::vacate(TaskId task, Seated& seated) {
    SY_CHECK(seated.runs, "task {} does not run", task.value());
    desk_.floor_.give_back(seated.seat, desk_.demand(seated.demand));
    desk_.leaving_.erase({later(seated.started, seated.candidate.expected), task});
}

const Decision& Steady::decide(Instant now) {
    desk_.decision_.starts.clear();
    fit_->fill(desk_, now);
    for (const Start& start : desk_.decision_.starts) {
        const Seated& seated = desk_.task(start.task);
        desk_.waiting_.erase({seated.rank, start.task}, seated.demand);
        order_->started(seated.candidate, seated.rank);
    }
    return desk_.decision_;
}

}  // namespace sy::schedule
