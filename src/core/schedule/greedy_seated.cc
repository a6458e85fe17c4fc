// The walk itself, where it matters on which node a task runs.
//
// A running task keeps its seat where nobody before it in the list has taken it; a waiting one looks first for a seat
// that no running task holds, so that tasks are not moved without need, and then for any that the walk has left. Who
// ran and found another seat has moved, which costs what being put aside costs. If nobody who waits would fit by count,
// then nothing changes and there is no walk.
#include <algorithm>
#include <utility>

#include "core/schedule/greedy.h"

namespace sy::schedule {

void Greedy::settle_by_seats() {
    if (free_ >= 0 && first_that_fits() == nullptr) return;
    walk_the_list();
}

/// Everybody who ran when the decision began, those who were sent to the back too.
std::vector<Standing*> Greedy::ran_in_order() {
    std::vector<Standing*> ran;
    for (Lane& lane : lanes_) {
        queue::SortedLine<Standee>::Spot spot;
        for (; const Standee* standee = lane.running.look(spot); ++spot.index) ran.push_back(&task(*standee));
    }
    for (const TaskId id : touched_)
        if (Standing& touched = tasks_.at(id); touched.ran_before && !touched.runs) ran.push_back(&touched);
    std::sort(ran.begin(), ran.end(), [&](const Standing* a, const Standing* b) { return ranking_.before(*a, *b); });
    return ran;
}

std::optional<place::Seat> Greedy::seat_for(const Standing& standing, const place::Floor& walk,
                                            std::span<Standing* const> still_seated) const {
    const Demand& demand = lanes_[standing.demand.value()].demand;
    if (demand.gpus > walk.free_gpus()) return std::nullopt;
    place::Floor untouched = walk;
    for (const Standing* other : still_seated)
        untouched.take_what_is_there(other->seat, lanes_[other->demand.value()].demand);
    auto found = placement_->find(untouched, demand);
    return found ? found : placement_->find(walk, demand);
}

void Greedy::walk_the_list() {
    const std::vector<Standing*> ran = ran_in_order();
    std::size_t visited = 0;
    place::Floor walk = floor_;
    struct Cursor {
        Lane* lane;
        queue::SortedLine<Standee>::Spot spot;
        Standing* head;
    };
    const auto settle = [&](Cursor& cursor) {  // on the next who did not run before
        cursor.head = nullptr;
        while (const Standee* standee = cursor.lane->waiting.look(cursor.spot)) {
            ++cursor.spot.index;
            Standing& next = task(*standee);
            if (next.touched == decisions_ && next.ran_before) continue;
            cursor.head = &next;
            return;
        }
    };
    std::vector<Cursor> cursors;
    for (Lane& lane : lanes_) {
        cursors.push_back({&lane, {}, nullptr});
        settle(cursors.back());
    }
    std::vector<std::pair<Standing*, place::Seat>> taken;
    for (;;) {
        Cursor* first = nullptr;
        for (Cursor& cursor : cursors)
            if (cursor.head != nullptr && (first == nullptr || ranking_.before(*cursor.head, *first->head)))
                first = &cursor;
        Standing* next = first != nullptr ? first->head : nullptr;
        const bool ran_next = visited < ran.size() && (next == nullptr || ranking_.before(*ran[visited], *next));
        if (ran_next) next = ran[visited++];
        if (next == nullptr) break;
        const Demand& demand = lane_of(*next).demand;
        const bool keeps = ran_next && walk.has_room(next->seat, demand);
        auto found = keeps ? std::optional(next->seat) : seat_for(*next, walk, std::span(ran).subspan(visited));
        if (found) {
            walk.take(*found, demand);
            taken.emplace_back(next, std::move(*found));
        }
        if (ran_next) continue;
        if (found) {
            settle(*first);
        } else {
            first->head = nullptr;  // nobody with this demand will fit
        }
    }
    std::vector<Standing*> stay;
    for (const auto& [task, where] : taken) stay.push_back(task);
    std::sort(stay.begin(), stay.end());
    for (Standing* task : ran)
        if (task->runs && !std::binary_search(stay.begin(), stay.end(), task)) drop(*task);
    for (auto& [task, where] : taken) {
        if (!task->runs) take(*task);
        const bool had_seat = task->touched == decisions_ ? task->ran_before : true;
        if (had_seat && task->seat != where) {
            touch(*task);
            catch_up(*task);
            task->moved = true;
        }
        task->seat = std::move(where);
    }
}

}  // namespace sy::schedule
