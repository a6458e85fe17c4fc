// How a GPU is, in one word, the strongest first.
#pragma once

#include "core/control/core.h"

namespace sy::server {

inline const char* gpu_state(const control::Core& core, GpuId gpu) {
    const GpuCondition& condition = core.ledger().condition(gpu);
    if (condition.faulty) return "error";
    if (condition.duty == GpuDuty::reserved) return "reserved";
    if (condition.duty == GpuDuty::draining) return "draining";
    if (condition.duty == GpuDuty::leaving) return core.health().is_open(gpu) ? "draining" : "no_worker";
    if (condition.duty == GpuDuty::cut_off && !core.ledger().holder(gpu)) return "no_worker";
    if (core.ledger().holder(gpu)) return "busy";
    if (!core.health().is_open(gpu)) return "no_worker";
    return core.ledger().is_kept(gpu) ? "kept" : "free";
}

}  // namespace sy::server
