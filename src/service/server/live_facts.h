// Live facts: what a plan must know of the service that is to carry it out.
#pragma once

#include <functional>
#include <string>

#include "service/runs/live_batch.h"
#include "service/server/engine.h"

namespace sy::server {

/// `kind_of`: a GPU's; empty where it is not known.
runs::LiveFacts live_facts(const Engine& engine, const std::function<std::string(GpuId)>& kind_of);

}  // namespace sy::server
