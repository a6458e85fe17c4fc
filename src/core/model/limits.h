// Limits: the stated maximum of everything that could grow. Each is tested at it and one past it.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sy {

struct Limits {
    std::uint64_t live_tasks = 10'000'000;  ///< Accepted and not ended.
    std::uint32_t gpus = 65'536;            ///< In the whole cluster.
    std::uint32_t gpus_per_node = 256;
    std::uint32_t simulated_gpus = 1'048'576;  ///< In a cluster that is only tried out, on any number of nodes.
    std::uint32_t retries = 1'000;             ///< Of one task.
    std::uint32_t losses = 5;                  ///< Attempts of one task lost with their workers, before it is given up.
    Duration timeout = 24h * 365;              ///< Of one attempt.
    Duration delay = 24h * 365;                ///< Before a task may start.
    std::uint32_t needs = 1'000;               ///< Tasks that one task may wait for.
    std::uint32_t mesh_nodes = 100'000;        ///< That hold one model between them.
    std::uint32_t mesh_layers = 20'000'000;    ///< Nodes of a mesh times layers of its model.
    std::uint32_t remembered_habits = 65'536;  ///< By a predictor of run times.
};

}  // namespace sy
