// Reservations on a profile: the floor as it is expected to be, from each instant on at which it changes.
//
// A task's earliest start is found by trying each step of the profile: its seat must be free in all steps it would last
// through, so the placement is asked on what they have in common. Cost for W waiting tasks and S steps: O(W × S) looks
// at a number of free GPUs, and an ask of the placement wherever the number is high enough.
#include "core/schedule/conservative.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sy::schedule {

namespace {

struct Step {
    Instant from;
    place::Floor floor;
};

class Profile {
public:
    Profile(const Desk& desk, Instant now) : desk_(desk) {
        steps_.push_back({now, desk.floor()});
        queue::SortedLine<Leaving>::Spot spot;
        for (; const Leaving* next = desk.leaving().look(spot); ++spot.index) {
            const Instant at = expected_end(next->at, now);
            if (steps_.back().from != at) steps_.push_back({at, steps_.back().floor});
            const Seated& task = desk.task(next->task);
            steps_.back().floor.give_back(task.stay->seat, desk.demand(task.demand));
        }
    }

    /// Reserves the earliest seat; the answer is that seat if it is free from the first step on.
    std::optional<place::Seat> reserve(DemandId demand, Duration lasting) {
        for (std::size_t first = 0; first < steps_.size(); ++first) {
            const Instant end = later(steps_[first].from, lasting);
            auto seat = common_seat(first, end, demand);
            if (!seat) continue;
            take(first, end, *seat, demand);
            return first == 0 ? std::move(seat) : std::nullopt;
        }
        return std::nullopt;
    }

private:
    std::optional<place::Seat> common_seat(std::size_t first, Instant end, DemandId demand) const {
        const GpuCount gpus = desk_.demand(demand).gpus;
        std::size_t last = first;
        for (; last < steps_.size() && steps_[last].from < end; ++last)
            if (steps_[last].floor.free_gpus() < gpus) return std::nullopt;
        if (last == first + 1) return desk_.find_seat(steps_[first].floor, demand);
        place::Floor common = steps_[first].floor;
        for (std::size_t i = first + 1; i < last; ++i) common.keep_common(steps_[i].floor);
        return desk_.find_seat(common, demand);
    }

    void take(std::size_t first, Instant end, const place::Seat& seat, DemandId demand) {
        const auto after = std::lower_bound(steps_.begin(), steps_.end(), end,
                                            [](const Step& step, Instant at) { return step.from < at; });
        const auto last = static_cast<std::size_t>(after - steps_.begin());
        if (end != kNever && (last == steps_.size() || steps_[last].from != end))
            steps_.insert(after, Step{end, steps_[last - 1].floor});
        for (std::size_t i = first; i < last; ++i) steps_[i].floor.take(seat, desk_.demand(demand));
    }

    const Desk& desk_;
    std::vector<Step> steps_;
};

}  // namespace

void Conservative::fill(Desk& desk, Instant now) const {
    if (desk.waiting().size() == 0 || desk.floor().free_gpus() == 0) return;
    Profile profile(desk, now);
    for (Walk walk(desk.waiting(), [](DemandId) { return true; }); !walk.done(); walk.pass()) {
        const TaskId task = walk.place().task;
        const Duration lasting = std::max(desk.task(task).candidate.expected, Duration(1));
        if (auto seat = profile.reserve(walk.lane(), lasting)) desk.start(task, std::move(*seat), now);
        if (desk.floor().free_gpus() == 0) return;
    }
}

}  // namespace sy::schedule
