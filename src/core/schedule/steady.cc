#include "core/schedule/steady.h"

#include <algorithm>

#include "base/check.h"

namespace sy::schedule {

void Desk::start_beside_spare(TaskId id, place::Seat seat, Instant now) {
    Seated& task = tasks_.at(id);
    floor_.take(seat, demand(task.demand));
    tell_placement(seat);
    task.stage = Stage::runs;
    task.stay = std::make_unique<Stay>(Stay{now, seat});
    leaving_.insert({later(now, task.candidate.expected), id});
    decision_.starts.push_back({id, task.candidate.length, std::move(seat)});
}

DemandId Steady::know(const Demand& demand) {
    return lane_for(desk_.demands_.keep(demand));
}

DemandId Steady::lane_for(DemandId demand) {
    if (demand.value() == desk_.waiting_.lane_count()) desk_.waiting_.add_lane();
    return demand;
}

void Steady::accept(TaskId task, const queue::Candidate& candidate, DemandId demand) {
    stand(task, candidate, demand, order_->rank(candidate));
    desk_.placement_->arrived(desk_.demand(demand));
}

queue::Rank Steady::admit(TaskId task, const queue::Candidate& candidate, const Demand& demand) {
    accept(task, candidate, lane_for(desk_.demands_.find_or_add(demand)));
    return desk_.task(task).rank;
}

void Steady::stand(TaskId task, const queue::Candidate& candidate, DemandId demand, queue::Rank rank) {
    desk_.tasks_.add(task, Seated{candidate, Stage::waits, demand, rank, nullptr});
    desk_.waiting_.insert(place_of(task, rank), demand);
    desk_.demands_.came(demand);
}

void Steady::leave(TaskId task, Instant now) {
    const Seated& seated = desk_.tasks_.at(task);
    if (seated.stay) order_->ended(seated.candidate, now - seated.stay->since);
    withdraw(task);
}

void Steady::withdraw(TaskId task) {
    Seated& seated = desk_.tasks_.at(task);
    if (seated.stage == Stage::runs) vacate(task, seated);
    if (seated.stage == Stage::waits) desk_.waiting_.erase(place_of(task, seated.rank), seated.demand);
    desk_.demands_.left(seated.demand);
    seated.stay.reset();
    desk_.tasks_.remove(task);
}

queue::Rank Steady::rank_again(TaskId task, const queue::Candidate& candidate) {
    Seated& seated = desk_.tasks_.at(task);
    seated.candidate = candidate;
    if (order_->remembers()) return seated.rank;
    const bool waits = seated.stage == Stage::waits;
    if (waits) desk_.waiting_.erase(place_of(task, seated.rank), seated.demand);
    seated.rank = order_->rank(candidate);
    if (waits) desk_.waiting_.insert(place_of(task, seated.rank), seated.demand);
    return seated.rank;
}

void Steady::start_over(TaskId task, Instant) {
    Seated& seated = desk_.tasks_.at(task);
    if (seated.stage == Stage::runs) vacate(task, seated);
    seated.stage = Stage::waits;
    seated.stay.reset();
    desk_.waiting_.insert(place_of(task, seated.rank), seated.demand);
}

void Steady::vacate(TaskId task, Seated& seated) {
    desk_.change_floor([&](place::Floor& floor) { floor.give_back(seated.stay->seat, desk_.demand(seated.demand)); });
    desk_.tell_placement(seated.stay->seat);
    desk_.leaving_.erase({later(seated.stay->since, seated.candidate.expected), task});
}

void Steady::call_up(TaskId task) {
    Seated& seated = desk_.tasks_.at(task);
    SY_CHECK(seated.stage == Stage::waits, "task {} does not wait", task.value());
    seated.stage = Stage::called;
    desk_.waiting_.erase(place_of(task, seated.rank), seated.demand);
    order_->started(seated.candidate, seated.rank);
}

/// What the one left free the other takes: the floor does not change.
void Steady::hand_over(TaskId from, TaskId to, Instant now) {
    Seated& before = desk_.tasks_.at(from);
    Seated& after = desk_.tasks_.at(to);
    SY_CHECK(before.stage == Stage::runs && after.stage == Stage::called && before.demand == after.demand,
             "task {} cannot take the seat of task {}", to.value(), from.value());
    desk_.leaving_.erase({later(before.stay->since, before.candidate.expected), from});
    desk_.leaving_.insert({later(now, after.candidate.expected), to});
    before.stage = Stage::called;
    after.stage = Stage::runs;
    after.stay = std::make_unique<Stay>(Stay{now, std::move(before.stay->seat)});
}

void Steady::set_up(NodeId node, bool up) {
    desk_.change_floor([&](place::Floor& floor) { floor.set_up(node, up); });
    const GpuCount gpus = desk_.floor_.node(node).gpus;
    desk_.tell_placement({{node, gpus, 0}, {}});
    away_ = up ? away_ - gpus : away_ + gpus;
}

std::vector<TaskId> Steady::tasks_on(NodeId node) const {
    std::vector<TaskId> tasks;
    queue::SortedLine<Leaving>::Spot spot;
    for (; const Leaving* running = desk_.leaving_.look(spot); ++spot.index)
        if (desk_.task(running->task).stay->seat.is_on(node)) tasks.push_back(running->task);
    std::sort(tasks.begin(), tasks.end());
    return tasks;
}

const Decision& Steady::decide(Instant now) {
    desk_.decision_.starts.clear();
    desk_.now_ = now;
    fit_->fill(desk_, now);
    for (const Start& start : desk_.decision_.starts) {
        const Seated& seated = desk_.task(start.task);
        desk_.waiting_.erase(place_of(start.task, seated.rank), seated.demand);
        order_->started(seated.candidate, seated.rank);
    }
    return desk_.decision_;
}

NodeId Steady::add_node(const NodeSpec& node, std::span<const GpuSpec> gpus) {
    empty_.add_node(node, gpus);
    NodeId id;
    desk_.change_floor([&](place::Floor& floor) { id = floor.add_node(node, gpus); });
    desk_.tell_placement({{id, node.gpus, 0}, {}});
    return id;
}

void Steady::set_kind(NodeId node, KindId kind) {
    empty_.set_kind(node, kind);
    desk_.change_floor([&](place::Floor& floor) { floor.set_kind(node, kind); });
}

void Steady::set_present(NodeId node, GpuCount at, bool present) {
    desk_.change_floor([&](place::Floor& floor) { floor.set_present(node, at, present); });
    desk_.tell_placement({{node, 1, at}, {}});
}

std::optional<TaskId> Steady::first_in_line() const {
    const queue::Place* first = desk_.waiting_.front();
    return first != nullptr ? std::optional(first->task) : std::nullopt;
}

std::uint64_t Steady::position(TaskId task) const {
    return desk_.waiting_.position(place_of(task, desk_.task(task).rank));
}

void Steady::save(ByteWriter& writer) const {
    order_->save(writer);
    desk_.placement_->save(writer);
}

queue::Rank Steady::rank_anew(const queue::Candidate& candidate, const Demand& demand) {
    desk_.placement_->arrived(demand);
    return order_->rank(candidate);
}

void Steady::wait_again(TaskId task, const Dossier& dossier) {
    stand(task, dossier.candidate, lane_for(desk_.demands_.find_or_add(dossier.demand)), dossier.rank);
}

void Steady::call_again(TaskId task, const Dossier& dossier) {
    wait_again(task, dossier);
    desk_.tasks_.at(task).stage = Stage::called;
    desk_.waiting_.erase(place_of(task, dossier.rank), desk_.task(task).demand);
}

void Steady::run_again(TaskId task, const Dossier& dossier, Instant started, const place::Seat& seat) {
    wait_again(task, dossier);
    desk_.start(task, seat, started);
    desk_.waiting_.erase(place_of(task, dossier.rank), desk_.task(task).demand);
}

}  // namespace sy::schedule
