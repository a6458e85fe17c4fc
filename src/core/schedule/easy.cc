#include "core/schedule/easy.h"

#include <utility>

namespace sy::schedule {

namespace {

/// The floor as it is expected to be when the reservation begins, the reserved seat taken.
struct Shadow {
    Instant at = kNever;
    place::Floor floor;
};

Shadow reserve(const Desk& desk, DemandId head, Instant now) {
    Shadow shadow{kNever, desk.floor()};
    queue::SortedLine<Leaving>::Spot spot;
    while (const Leaving* next = desk.leaving().look(spot)) {
        shadow.at = expected_end(next->at, now);
        for (; next != nullptr && expected_end(next->at, now) == shadow.at; next = desk.leaving().look(spot)) {
            const Seated& task = desk.task(next->task);
            shadow.floor.give_back(task.stay->seat, desk.demand(task.demand));
            ++spot.index;
        }
        if (shadow.floor.free_gpus() < desk.demand(head).gpus) continue;
        if (const auto seat = desk.find_seat(shadow.floor, head)) {
            shadow.floor.take(*seat, desk.demand(head));
            return shadow;
        }
    }
    shadow.at = kNever;
    return shadow;
}

}  // namespace

void Easy::fill(Desk& desk, Instant now) const {
    if (desk.waiting().size() == 0 || desk.floor().free_gpus() == 0) return;
    Walk walk(desk.waiting(), [](DemandId) { return true; });
    for (; !walk.done(); walk.pass()) {
        auto seat = desk.find_seat(walk.place().task);
        if (!seat) break;
        desk.start(walk.place().task, std::move(*seat), now);
    }
    if (walk.done() || desk.floor().free_gpus() == 0) return;
    Shadow shadow = reserve(desk, walk.lane(), now);
    for (walk.close_lane(); !walk.done() && desk.floor().free_gpus() > 0;) {
        auto seat = desk.find_seat(walk.place().task);
        if (!seat) {
            walk.close_lane();
            continue;
        }
        const TaskId task = walk.place().task;
        const Demand& demand = desk.demand(walk.lane());
        const bool gone_by_then = later(now, desk.task(task).candidate.expected) <= shadow.at;
        if (gone_by_then || shadow.floor.has_room(*seat, demand)) {
            if (!gone_by_then) shadow.floor.take(*seat, demand);
            desk.start(task, std::move(*seat), now);
        }
        walk.pass();
    }
}

}  // namespace sy::schedule
