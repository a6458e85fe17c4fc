// The walk itself, where it matters on which node a task runs.
//
// A running task keeps its seat where nobody before it in the list has taken it; a waiting one looks first for a seat
// that no running task holds, so that tasks are not moved without need, and then for any that the walk has left. Who
// ran and found another seat has moved, which costs what being put aside costs.
//
// The walk is spared where its answer is plain: if nobody who waits would fit by count, nothing changes; if the first
// who would fits on GPUs that nobody holds, it goes there as it would in the walk and everybody else stays, then the
// next.
#include <algorithm>
#include <utility>

#include "core/schedule/greedy.h"

namespace sy::schedule {

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

/// The first of each lane who did not run when the decision began, and those behind.
class Greedy::Bystanders {
public:
    explicit Bystanders(Greedy& greedy) : greedy_(greedy) {
        for (Lane& lane : greedy.lanes_) {
            cursors_.push_back({&lane, {}, nullptr});
            go_on(cursors_.back());
        }
    }

    /// The first of all, or nobody.
    Standing* first() {
        first_ = nullptr;
        for (Cursor& cursor : cursors_)
            if (cursor.head != nullptr && (first_ == nullptr || greedy_.ranking_.before(*cursor.head, *first_->head)))
                first_ = &cursor;
        return first_ != nullptr ? first_->head : nullptr;
    }
    /// The first was taken; or was not, and then nobody with the same demand will be.
    void pass(bool taken) {
        if (taken) {
            go_on(*first_);
        } else {
            first_->head = nullptr;
        }
    }

private:
    struct Cursor {
        Lane* lane;
        queue::SortedLine<Standee>::Spot spot;
        Standing* head;
    };

    void go_on(Cursor& cursor) {
        cursor.head = nullptr;
        while (const Standee* standee = cursor.lane->waiting.look(cursor.spot)) {
            ++cursor.spot.index;
            Standing& next = greedy_.task(*standee);
            if (next.touched == greedy_.decisions_ && next.ran_before) continue;
            cursor.head = &next;
            return;
        }
    }

    Greedy& greedy_;
    std::vector<Cursor> cursors_;
    Cursor* first_ = nullptr;
};

std::vector<Greedy::Taken> Greedy::walk_the_list(std::span<Standing* const> ran) {
    std::vector<Taken> taken;
    Bystanders bystanders(*this);
    place::Floor walk = floor_;
    for (std::size_t visited = 0;;) {
        Standing* next = bystanders.first();
        const bool ran_next = visited < ran.size() && (next == nullptr || ranking_.before(*ran[visited], *next));
        if (ran_next) next = ran[visited++];
        if (next == nullptr) return taken;
        const Demand& demand = lane_of(*next).demand;
        const bool keeps = ran_next && walk.has_room(next->seat, demand);
        auto seat = keeps ? std::optional(next->seat) : seat_for(*next, walk, ran.subspan(visited));
        if (!ran_next) bystanders.pass(seat.has_value());
        if (!seat) continue;
        walk.take(*seat, demand);
        taken.push_back({next, std::move(*seat)});
    }
}

void Greedy::settle_by_seats() {
    if (fill_what_is_free()) return;
    const std::vector<Standing*> ran = ran_in_order();
    settle_as_walked(ran, walk_the_list(ran));
    held_ = floor_;
    for (const Lane& lane : lanes_) {
        queue::SortedLine<Standee>::Spot spot;
        for (; const Standee* standee = lane.running.look(spot); ++spot.index)
            held_.take(task(*standee).seat, lane.demand);
    }
}

/// Seats whoever can be seated without anybody giving way, in list order; false where somebody would have to.
bool Greedy::fill_what_is_free() {
    for (const TaskId id : touched_)
        if (const Standing& sent_back = tasks_.at(id); sent_back.ran_before && !sent_back.runs) return false;
    while (Standing* next = first_that_fits()) {
        const Demand& demand = lane_of(*next).demand;
        auto seat = placement_->find(held_, demand);
        if (!seat) return false;
        held_.take(*seat, demand);
        take(*next);
        next->seat = std::move(*seat);
    }
    return true;
}

void Greedy::settle_as_walked(std::span<Standing* const> ran, std::vector<Taken> taken) {
    std::vector<const Standing*> stay;
    for (const Taken& one : taken) stay.push_back(one.task);
    std::sort(stay.begin(), stay.end());
    for (Standing* task : ran)
        if (task->runs && !std::binary_search(stay.begin(), stay.end(), task)) drop(*task);
    for (Taken& one : taken) {
        Standing& task = *one.task;
        if (!task.runs) take(task);
        const bool had_seat = task.touched != decisions_ || task.ran_before;
        if (had_seat && task.seat != one.seat) {
            touch(task);
            catch_up(task);
            task.moved = true;
        }
        task.seat = std::move(one.seat);
    }
}

}  // namespace sy::schedule
