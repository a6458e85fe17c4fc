// Live facts: what a plan must know of the service that is to carry it out, and a question of the one it is asked of.
#pragma once

#include <functional>
#include <string>

#include "service/runs/live_batch.h"
#include "service/server/engine.h"
#include "service/whatif/standing.h"

namespace sy::server {

/// `kind_of`: a GPU's; empty where it is not known.
runs::LiveFacts live_facts(const Engine& engine, const std::function<std::string(GpuId)>& kind_of);

/// What a question must know of the service it is asked of; with what waits and runs, or without.
whatif::Standing standing_now(const Engine& engine, const schedule::Policy& in_force,
                              const std::function<std::string(GpuId)>& kind_of, bool with_queue);

}  // namespace sy::server
