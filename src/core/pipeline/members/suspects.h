// Suspects: nodes that requests on them called failed, and how far that is believed (L12).
//
// A silent node is known to be lost when its timeout has passed; who was on its way through it knows earlier, and says
// so. That is a hint, not a proof: whoever says so may be mistaken or lie. So
//  - one report makes a suspect, for a bounded time at most, and a beat clears it at once: a healthy node is kept out
//  no
//    longer than it takes to beat;
//  - who was cleared by a beat has answered. From then on only `enough` different requests make it a suspect, all since
//    it beat last and since a request last ended well on it;
//  - how many spoke tells how much it is doubted. Whether requests keep away is decided elsewhere (crew_suspicion.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline {

class Suspects {
public:
    /// `enough` is 1 at least.
    Suspects(std::size_t enough, Duration lasts) : enough_(enough), lasts_(lasts) {}

    /// A request that is on its way through the node says that it failed.
    void report(NodeIndex node, RequestId by, Instant now);
    /// It beat.
    void answer(NodeIndex node);
    /// A request came through it to its end.
    void pass(NodeIndex node);
    /// It serves no more, or is another now.
    void forget(NodeIndex node);
    /// Whose time has passed is no suspect any more.
    void expire(Instant now);

    bool empty() const { return by_end_.empty(); }
    bool contains(NodeIndex node) const;
    /// Enough different requests said so.
    bool doubted_by_enough(NodeIndex node) const;
    /// With the instant at which its time has passed, the first to go first.
    const std::set<std::pair<Instant, NodeIndex>>& by_end() const { return by_end_; }

private:
    struct Accused {
        std::vector<RequestId> by;  ///< In order, `enough` at most.
        bool has_answered = false;  ///< A suspicion of it was unfounded.
        Instant until = kNever;     ///< Where it is a suspect.
    };

    void release(NodeIndex node, Accused& accused);

    std::size_t enough_;
    Duration lasts_;
    std::map<NodeIndex, Accused> accused_;
    std::set<std::pair<Instant, NodeIndex>> by_end_;
};

}  // namespace sy::pipeline
