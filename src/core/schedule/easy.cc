// The problem: at every decision at which the first in line finds no room, when will it have some, and what is free
// then beside it? Those who run are taken away in the order in which they should leave, until it fits.
//
// The choice: not on a copy of the floor, which in a cluster of 60,000 GPUs costs more than all the rest, but on a
// spare one that the desk keeps as the floor is; what was changed is changed back in the end. The cost is that of those
// who leave before the reservation begins, and of those who are let past. easy_test.cc has the twin, which copies.
#include "core/schedule/easy.h"

#include <optional>
#include <utility>
#include <vector>

namespace sy::schedule {

namespace {

/// The floor as it is expected to be when the reservation begins, the reserved seat taken.
class Shadow {
public:
    Shadow(Desk& desk, DemandId head, Instant now) : desk_(desk), floor_(desk.spare()), head_(head) {
        queue::SortedLine<Leaving>::Spot spot;
        while (const Leaving* next = desk.leaving().look(spot)) {
            at_ = expected_end(next->at, now);
            for (; next != nullptr && expected_end(next->at, now) == at_; next = desk.leaving().look(spot)) {
                give_back(next->task);
                ++spot.index;
            }
            if (floor_.free_gpus() < desk.demand(head).gpus) continue;
            if (reserved_ = desk.find_seat(floor_, head); !reserved_) continue;
            floor_.take(*reserved_, desk.demand(head));
            return;
        }
        at_ = kNever;
    }
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;
    /// The spare floor is as the floor again.
    ~Shadow() {
        if (reserved_) floor_.give_back(*reserved_, desk_.demand(head_));
        for (const TaskId id : gone_) {
            const Seated& task = desk_.task(id);
            floor_.take_what_is_there(task.stay->seat, desk_.demand(task.demand));  // its worker may be away
        }
    }

    /// Starts the task there if the reservation is none the worse for it.
    void let_past(TaskId task, place::Seat seat, Instant now) {
        if (later(now, desk_.task(task).candidate.expected) <= at_) {
            desk_.start_beside_spare(task, std::move(seat), now);
            gone_.push_back(task);
        } else if (floor_.has_room(seat, desk_.demand(desk_.task(task).demand))) {
            desk_.start(task, std::move(seat), now);
        }
    }

private:
    void give_back(TaskId id) {
        const Seated& task = desk_.task(id);
        floor_.give_back(task.stay->seat, desk_.demand(task.demand));
        gone_.push_back(id);
    }

    Desk& desk_;
    place::Floor& floor_;
    DemandId head_;
    Instant at_ = kNever;
    std::optional<place::Seat> reserved_;
    std::vector<TaskId> gone_;  ///< Who will have left by then.
};

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
    if (afresh_) desk.drop_spare();
    Shadow shadow(desk, walk.lane(), now);
    for (walk.close_lane(); !walk.done() && desk.floor().free_gpus() > 0;) {
        auto seat = desk.find_seat(walk.place().task);
        if (!seat) {
            walk.close_lane();
            continue;
        }
        shadow.let_past(walk.place().task, std::move(*seat), now);
        walk.pass();
    }
}

}  // namespace sy::schedule
