// Standing: what a question must know of the service it is asked of. Taken on the service's own thread, then used on
// another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/control/core.h"
#include "core/model/job.h"
#include "core/schedule/policy.h"
#include "service/server/names.h"
#include "service/whatif/limits.h"
#include "sim/study.h"

namespace sy::whatif {

/// Everything that waits and runs, as jobs of a trace that is taken up now.
struct LiveQueue {
    Trace trace;
    sim::Opening opening;
    std::vector<std::uint32_t> first_lanes;  ///< Of the running ones.
    std::vector<std::string> notes;          ///< What is guessed and what was left out, a sentence each.
};

struct Standing {
    Cluster cluster;                  ///< The GPUs that are in service or at work.
    std::vector<std::uint32_t> gpus;  ///< Their numbers, by lane.
    std::size_t away = 0;             ///< Of them, those whose worker is away.
    schedule::Policy in_force;
    std::optional<LiveQueue> queue;
};

struct LiveParts {
    const control::Core& core;
    const server::Names& names;
    schedule::Policy in_force;
    std::function<std::string(GpuId)> kind_of;  ///< Empty where it is not known.
};

/// `with_queue`: as many tasks as the limits allow.
Standing standing_of(const LiveParts& parts, bool with_queue, const Limits& limits);

}  // namespace sy::whatif
