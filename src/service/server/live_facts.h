// Live facts: what a plan must know of the service that is to carry it out.
#pragma once

#include <memory>

#include "service/device/devices.h"
#include "service/runs/live_batch.h"
#include "service/server/engine.h"

namespace sy::server {

/// `devices`: to tell the GPUs' kinds; may be null.
runs::LiveFacts live_facts(const Engine& engine, const std::shared_ptr<device::Devices>& devices);

}  // namespace sy::server
