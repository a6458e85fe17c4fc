// Lanes: the waiting tasks in one order, kept apart by what they ask for.
//
// While a decision is made room only shrinks. So once a task finds no room, nobody with the same demand behind it will,
// and the whole lane can be passed over: a walk costs what is started, not what waits.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/job.h"
#include "core/queue/waiting_line.h"

namespace sy::schedule {

class Lanes {
public:
    std::size_t size() const { return size_; }
    std::size_t lane_count() const { return lanes_.size(); }
    void add_lane() { lanes_.emplace_back(); }
    /// The first in line; nobody where nobody waits.
    const queue::Place* front() const;
    /// How many stand before this place, which need not be taken.
    std::uint64_t position(const queue::Place& place) const;
    /// The last that stands before this place; nobody where nobody does.
    std::optional<queue::Place> last_before(const queue::Place& place) const;
    void insert(const queue::Place& place, DemandId lane);
    void erase(const queue::Place& place, DemandId lane);

private:
    friend class Walk;

    std::vector<queue::WaitingLine> lanes_;
    std::size_t size_ = 0;
};

/// From the first in line on, or from the first behind a place. The lanes must not change meanwhile.
class Walk {
public:
    /// `open` says for each demand whether anybody with it is to be met at all.
    template <class Open>
    Walk(const Lanes& lanes, Open open) : lanes_(lanes.lanes_) {
        for (std::uint32_t i = 0; i < lanes_.size(); ++i)
            if (!lanes_[i].empty() && open(DemandId(i))) cursors_.push_back({DemandId(i), {}, lanes_[i].front()});
        choose();
    }
    Walk(const Lanes& lanes, const queue::Place& after);

    bool done() const { return cursors_.empty(); }
    /// The next in line, and its lane; the walk must not be done.
    const queue::Place& place() const { return cursors_[first_].place; }
    DemandId lane() const { return cursors_[first_].lane; }

    void pass();
    /// Passes this one and everybody else in its lane.
    void close_lane();

private:
    struct Cursor {
        DemandId lane;
        queue::WaitingLine::Spot spot;
        queue::Place place;
    };

    void choose();

    const std::vector<queue::WaitingLine>& lanes_;
    std::vector<Cursor> cursors_;
    std::size_t first_ = 0;
};

}  // namespace sy::schedule
