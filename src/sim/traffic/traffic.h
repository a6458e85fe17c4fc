// Traffic: requests with prompts and answers on their ways through a mesh, simulated (L14, L15).
//
// A request is given a way by a router when it comes, or waits in line where every way is full: memory for keys and
// values binds. Its prompt goes through all stages and brings the first token; each further token takes one round
// through all stages. How long a round takes among others is told by crowding.h and looked at anew after every eighth
// of the answer, so a request costs some ten events however long its answer is.
//
// Nodes may fail and return. A request on a failed node's way gives its other nodes back at once and is given another
// way, before all who wait; what it had of its answer becomes part of the prompt. None is lost: each is completed,
// refused because too many waited, or failed because it had to move too often or nobody who could serve it comes back.
//
// The same input gives the same run on every machine; all times are whole nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/pipeline/division.h"
#include "sim/traffic/figures.h"
#include "sim/traffic/requests.h"

namespace sy::sim {

struct NodeOutage {
    pipeline::NodeIndex node = 0;
    Instant from;
    Instant until = kNever;
};

struct TrafficSettings {
    std::string routing = "dp";
    std::uint32_t most_waiting = 10'000;  ///< One more is refused.
    std::uint32_t most_moves = 16;        ///< After failures of nodes; one more fails the request.
    std::vector<NodeOutage> outages;
    Duration fail_every{};   ///< Besides, one of the nodes that are up fails, this often in the mean; zero: none does.
    Duration away = 60s;     ///< In the mean.
    std::uint64_t seed = 1;  ///< Of failures.
    std::uint64_t activation_bytes = 0;  ///< Of a token between two nodes, for the report.
};

/// The division must hold under `costs`, requests come in the order of their arrival. Wrong usage where there is no
/// such router.
Result<TrafficFigures> run_traffic(const pipeline::Costs& costs, const pipeline::Division& division,
                                   const std::vector<TrafficRequest>& requests, const TrafficSettings& settings);

}  // namespace sy::sim
