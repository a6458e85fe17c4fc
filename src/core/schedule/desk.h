// Desk: what lies before a scheduler that never interrupts: who waits, who runs until when, what is free.
//
// Fits work on it: they look, and start tasks. A task that is started stays in its lane until the decision is closed,
// so that walks are not disturbed.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/by_task.h"
#include "core/place/placement.h"
#include "core/queue/order.h"
#include "core/schedule/demand_table.h"
#include "core/schedule/lanes.h"
#include "core/schedule/scheduler.h"

namespace sy::schedule {

/// A running task and when it is expected to leave.
struct Leaving {
    Instant at;
    TaskId task;

    friend constexpr auto operator<=>(const Leaving&, const Leaving&) = default;
};

/// Where a task stands: in line, called up to take another's seat when that one leaves, or on a seat of its own.
enum class Stage : std::uint8_t { waits, called, runs };

/// Where a task runs, and since when.
struct Stay {
    Instant since;
    place::Seat seat;
};

/// Most wait and are many: what only those have that run is kept apart, and no byte is left unused.
struct Seated {
    [[no_unique_address]] queue::Candidate candidate;
    Stage stage = Stage::waits;
    DemandId demand;
    queue::Rank rank = 0;
    std::unique_ptr<Stay> stay;
};

class Desk {
public:
    Desk(std::unique_ptr<place::Placement> placement, place::Floor floor)
        : placement_(std::move(placement)), floor_(std::move(floor)) {}

    const Lanes& waiting() const { return waiting_; }
    const queue::SortedLine<Leaving>& leaving() const { return leaving_; }
    const place::Floor& floor() const { return floor_; }
    const Demand& demand(DemandId id) const { return demands_[id]; }
    const Seated& task(TaskId id) const { return tasks_.at(id); }

    std::optional<place::Seat> find_seat(TaskId id) const {
        const Seated& seated = task(id);
        const Demand& demand = demands_[seated.demand];
        if (floor_.is_tied(demand)) return floor_.tied_seat(demand);
        return placement_->find_for(floor_, demand, {seated.candidate.model, now_});
    }
    std::optional<place::Seat> find_seat(const place::Floor& floor, DemandId demand) const {
        return floor.is_tied(demands_[demand]) ? floor.tied_seat(demands_[demand])
                                               : placement_->find(floor, demands_[demand]);
    }
    void start(TaskId task, place::Seat seat, Instant now) {
        if (spare_) spare_->take(seat, demand(this->task(task).demand));
        start_beside_spare(task, std::move(seat), now);
    }

    /// A second floor that is as the first one, for a fit to try things on. It is made when it is first asked for and
    /// then kept up to date, since to copy a large cluster at every decision would cost more than the decision. Whoever
    /// changes it changes it back.
    place::Floor& spare() {
        if (!spare_) spare_ = floor_;
        return *spare_;
    }
    /// As `start`, where the seat is taken on the spare floor later, by the caller.
    void start_beside_spare(TaskId task, place::Seat seat, Instant now);
    /// It is made anew when it is next asked for.
    void drop_spare() { spare_.reset(); }

private:
    friend class Steady;

    /// Of both floors.
    template <class Change>
    void change_floor(Change change) {
        change(floor_);
        if (spare_) change(*spare_);
    }

    /// After every change of the floor there.
    void tell_placement(const place::Seat& seat) {
        if (!floor_.knows_gpus()) return;
        seat.for_each([&](const place::Share& share) {
            for (GpuCount at = share.at; at < share.at + share.gpus; ++at)
                placement_->set_free(share.node, at, floor_.is_free(share.node, at));
        });
    }

    std::unique_ptr<place::Placement> placement_;
    place::Floor floor_;
    std::optional<place::Floor> spare_;
    DemandTable demands_;
    Lanes waiting_;
    queue::SortedLine<Leaving> leaving_;
    ByTask<Seated> tasks_;
    Decision decision_;
    Instant now_;  ///< Of the decision.
};

/// When a task that runs is expected to leave; one that has outrun what was expected may leave any moment.
inline Instant expected_end(Instant expected, Instant now) {
    return std::max(expected, now + Duration(1));
}

}  // namespace sy::schedule
