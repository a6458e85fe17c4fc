// Overview: how everything stands at this moment, in one document for those who look on.
#pragma once

#include <vector>

#include "service/http/message.h"
#include "service/metrics/gpu_sample.h"
#include "service/server/engine.h"
#include "service/server/measures.h"

namespace sy::server {

struct OverviewParts {
    Engine& engine;
    const Measures& measures;
    std::vector<metrics::GpuSample> samples;
    bool simulated = false;
    WallTime now = 0;
};

/// What GET /api/v1/overview answers. Of what runs, it shows the first thousand, by GPU.
http::Response overview(const OverviewParts& parts);

}  // namespace sy::server
