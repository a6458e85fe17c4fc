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

/// The floor as the walk has left it, and beside it what of that nobody further down the list holds.
class Greedy::Path {
public:
    Path(const Greedy& greedy, place::Floor floor) : greedy_(greedy), left_(std::move(floor)) {}

    bool has_room(const place::Seat& seat, const Demand& demand) const { return left_.has_room(seat, demand); }
    /// Its own seat: nobody else sees a difference.
    void keep(const place::Seat& seat, const Demand& demand) { left_.take(seat, demand); }
    /// Somebody who ran has lost its seat, or part of it.
    void give_up() { untouched_.reset(); }

    std::optional<place::Seat> find(const Demand& demand, std::span<Standing* const> still_seated) {
        if (demand.gpus > left_.free_gpus()) return std::nullopt;
        if (!untouched_) {
            untouched_ = left_;
            for (const Standing* other : still_seated)
                untouched_->take_what_is_there(other->seat, greedy_.lanes_[other->demand.value()].demand);
        }
        auto seat = greedy_.placement_->find(*untouched_, demand);
        if (seat) {
            untouched_->take(*seat, demand);
        } else {
            seat = greedy_.placement_->find(left_, demand);
            if (seat) untouched_.reset();
        }
        if (seat) left_.take(*seat, demand);
        return seat;
    }

    /// What is left at the end.
    place::Floor take_floor() { return std::move(left_); }

private:
    const Greedy& greedy_;
    place::Floor left_;
    std::optional<place::Floor> untouched_;  ///< Made anew when it is asked for and may have changed.
};

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
    taken.reserve(ran.size() + 1);
    Bystanders bystanders(*this);
    Path path(*this, floor_);
    for (std::size_t visited = 0;;) {
        Standing* next = bystanders.first();
        const bool ran_next = visited < ran.size() && (next == nullptr || ranking_.before(*ran[visited], *next));
        if (ran_next) next = ran[visited++];
        if (next == nullptr) break;
        const Demand& demand = lane_of(*next).demand;
        if (ran_next && path.has_room(next->seat, demand)) {
            path.keep(next->seat, demand);
            taken.push_back({next, next->seat});
            continue;
        }
        if (ran_next) path.give_up();
        auto seat = path.find(demand, ran.subspan(visited));
        if (!ran_next) bystanders.pass(seat.has_value());
        if (seat) taken.push_back({next, std::move(*seat)});
    }
    held_ = path.take_floor();
    return taken;
}

void Greedy::settle_by_seats() {
    if (fill_what_is_free()) return;
    const std::vector<Standing*> ran = ran_in_order();
    settle_as_walked(ran, walk_the_list(ran));
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
