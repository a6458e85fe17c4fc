// Place all: a model shared out anew over all nodes, by the allocation strategy, in turns that take as long as placing
// one team of at most `most_planned` nodes takes.
//
// Between two turns nodes may come, go and be measured: each turn looks at what nodes cost by then, and who has no room
// for what was meant for it in the end gets nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/pipeline/members/reshare.h"

namespace sy::pipeline {

class Placing {
public:
    Placing(const Standing& standing, const CrewSettings& settings);

    /// Places one team. False where nothing is left to do.
    bool go_on(const Standing& standing);

    /// Once nothing is left to do. Those that it leaves out hold nothing. Infeasible where they cannot hold the model.
    Result<Change> result(const Standing& standing) const;

private:
    /// A place among all different sets of costs.
    using Make = std::uint32_t;
    struct Player {
        NodeIndex node = 0;
        Make make = 0;
    };
    using Players = std::vector<Player>;

    static Players everybody(const Standing& standing);
    static Costs subset(const Costs& costs, const Players& team);
    void deal();
    void place_team(const Costs& costs, const Players& team);
    std::vector<Hold> find_holds(const Costs& team);

    CrewSettings settings_;
    Players all_;
    std::size_t most_;            ///< In a team.
    std::vector<Players> teams_;  ///< That were not placed yet, the first last.
    std::vector<Range> ranges_;
    bool any_placed_ = false;
    std::map<std::vector<Make>, std::vector<Hold>> holds_;  ///< Of teams placed so far within which no link is known.
    std::optional<Error> error_;
};

}  // namespace sy::pipeline
