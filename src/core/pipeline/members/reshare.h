// Reshare: other layers for some nodes, and which such change is best for the bytes it moves (L10, L12).
//
// Pure: a view of who holds what in, a change out. Who carries it out, and when, is the crew's business. Places in the
// crew do not matter, only ids do: equals are told apart by who comes first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/pipeline/flow/flow_graph.h"
#include "core/pipeline/members/crew_event.h"
#include "core/pipeline/members/crew_settings.h"
#include "core/pipeline/members/layer_loads.h"
#include "core/pipeline/members/standby.h"

namespace sy::pipeline {

/// By place: who is not there has no room for anything.
struct Shares {
    std::vector<Range> held;    ///< Loaded now.
    std::vector<Range> wanted;  ///< To be held soon, often the same.
    /// Drawn from the id: an order that is the same wherever a node has its place, and quick to ask for.
    std::vector<std::uint64_t> lots;
};

/// What there is to plan with. Views, for one call.
struct Standing {
    const Costs& costs;
    const Shares& shares;
    const LayerLoads& wanted;  ///< The sum of what is wanted.
    const Standby& standby;
    std::function<bool(NodeIndex, NodeIndex)> comes_first;  ///< By id.
};

struct Change {
    Plan plan = Plan::placed;
    std::vector<Hold> moves;  ///< What nodes hold from now on; an empty range: nothing. Others stay as they are wanted.
    std::uint64_t bytes = 0;  ///< To load.
    Load gain = 0;            ///< Load taken away.
};

/// Of what the second range asks for, what is not in the first.
std::uint64_t bytes_to_load(const Costs& costs, Range held, Range wanted);
/// More gain for each byte; of equals more gain.
bool is_better(const Change& a, const Change& b);
std::vector<Range> after(const Shares& shares, const Change& change);

/// All nodes by the allocation strategy. Those that it leaves out hold nothing. Infeasible where they cannot hold the
/// model.
Result<Change> place_all(const Standing& standing, const CrewSettings& settings);

/// One node that takes all layers nobody is to hold, and still holds those that only it does. Nothing where none can.
/// The rate of the whole for each byte decides.
std::optional<Change> mend(const Standing& standing);
/// Standby nodes that take them together; nothing where they cannot.
std::optional<Change> mend_by_several(const Standing& standing);

/// Whether it can be done while all layers are served: nodes that give something up go one after the other, each while
/// others serve what it holds.
bool goes_in_turns(const Standing& standing, const Change& change);

/// The best of: standby nodes on the fullest layers, one node moved there, everything placed anew. Nothing where none
/// takes away the margin while service goes on.
std::optional<Change> rebalance(const Standing& standing, const Pressure& pressure, const CrewSettings& settings);

}  // namespace sy::pipeline
