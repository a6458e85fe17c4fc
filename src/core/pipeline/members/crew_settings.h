// How a crew is set (L9). Not part of its state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::pipeline {

struct CrewSettings {
    std::string allocation_strategy = "auto";     ///< Or one of strategy_names().
    std::optional<Objective> objective = {};      ///< Nothing: what the strategy is for.
    std::string routing_strategy = "dp";          ///< One of router_names().
    std::uint32_t rebalance_threshold = 800'000;  ///< Millionths of what the pipelines can take.
    Duration heartbeat_timeout = 60s;
    Duration request_arrival_horizon = 600s;

    /// So long newcomers are waited for before layers are shared out. Where the crew may be started anew while its
    /// nodes live, a little longer than they take to beat: then they come back with what they hold, and nothing is
    /// loaded.
    Duration gather = 1s;
    Duration review_every = 1s;      ///< How often the load is looked at.
    Duration relink_every = 5s;      ///< Links that were measured count from then: everybody's ways are looked at anew.
    Duration rest = 60s;             ///< Between two rebalancings.
    std::uint32_t margin = 100'000;  ///< Millionths of the load that a rebalancing must take away to be worth it.
    Duration drain_for = 30s;        ///< Then requests are sent another way, so that their node can change its layers.
    Duration load_timeout = 600s;    ///< A node that has not loaded its layers by then is given up.
    Duration patience = 60s;         ///< No request waits longer for a way.
    Duration request_timeout = 1h;   ///< A request of which nothing is heard for so long has failed.
    Duration suspicion = 60s;        ///< So long at most requests keep away from a node that others called failed.
    std::uint32_t enough_reports =
        3;  ///< Of different requests: then a node is shunned that has answered, or is the only way.
    std::size_t most_waiting = 10'000;
    std::uint32_t most_reroutes = 8;   ///< Of one request; then it has failed.
    std::uint32_t usual_output = 256;  ///< Tokens, until requests have said more.
    std::size_t most_planned = 64;     ///< Nodes that one placement looks at; more are dealt into teams.
    std::uint64_t search_steps =
        100'000;  ///< Of one placement, where the strategy searches: a step must not take long.
    std::size_t most_nodes = 100'000;
};

/// The model and what is between nodes of which no link speaks: what a mesh says besides its nodes.
struct Ground {
    ModelShape model;
    MeshSettings settings;
    LinkCosts default_link;
    std::optional<LinkCosts> client_link{};
};

/// Wrong usage where a strategy has an unknown name; invalid input where a number makes no sense.
Result<CrewSettings> checked(CrewSettings settings);

}  // namespace sy::pipeline
