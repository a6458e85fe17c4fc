// Ranking: the list of all unfinished tasks at one instant, as a relation between two of them.
//
// The list is never written down. What an order says about ranks and ties, and where each task stood when the decision
// began, tell which of two comes first; that is all a decision asks.
#pragma once

#include "core/schedule/standing.h"

namespace sy::schedule {

class Ranking {
public:
    Ranking(queue::Motion motion, queue::Ties ties) : motion_(motion), ties_(ties) {}

    /// A decision begins. A stable sort remembers the instant before; where running tasks come first the list is
    /// arranged anew after every decision.
    void begin(Instant now);

    Instant now() const { return now_; }
    /// Whether the list is still that of the decision before: a stable sort at the same instant changes nothing.
    bool same_list() const { return same_list_; }
    /// Whether the task ran when the first decision on this list began.
    bool ran_at_first(const Standing& task) const { return origin(task) == Origin::ran; }
    bool falls() const { return motion_ != queue::Motion::still; }

    /// Whether a comes before b in the list.
    bool before(const Standing& a, const Standing& b) const;
    /// The same for a task that waits and one that runs in a lane of this width, without looking at the latter: less,
    /// equal or greater by rank alone.
    std::weak_ordering by_rank(const Standing& waiting, const Standee& running, GpuCount width) const;

    Standee as_waiting(const Standing& task) const;
    Standee as_running(const Standing& task) const;

    /// Remembers where the task stood, before its standing changes.
    void mark(Standing& task) const;
    void mark_as_newcomer(Standing& task);
    void turn_to_wait(Standing& task);
    void turn_to_run(Standing& task);
    /// It was put aside and its rank has grown: it stood before those it is level with now.
    void sink(Standing& task);

private:
    Origin origin(const Standing& task) const;
    int class_of(const Standing& task) const;
    std::int64_t rank_now(const Standing& task) const;
    std::weak_ordering compare(std::int64_t a, GpuCount a_width, std::int64_t b, GpuCount b_width) const;

    queue::Motion motion_;
    queue::Ties ties_;
    Instant now_ = kStart;
    std::uint64_t epoch_ = 0;
    bool same_list_ = false;
    std::int64_t turns_ = 0;
};

}  // namespace sy::schedule
