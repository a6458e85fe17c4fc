// Scrape: everything measured, as one page of Prometheus' text (G11). The names in the requirements are kept as they
// are; what we add begins with switchyard_. Labels are GPUs, levels, closed sets of words and the names of a hundred
// pipelines at most, so a page grows with the machine and not with its work.
#pragma once

#include <string>
#include <vector>

#include "core/control/core.h"
#include "service/http/server.h"
#include "service/metrics/gpu_sample.h"
#include "service/server/engine.h"
#include "service/server/measures.h"

namespace sy::pipelines {
class Pipelines;
}

namespace sy::server {

/// What a page is made of.
struct Scene {
    const control::Core& core;
    const Measures& measures;
    const Commits& commits;
    http::Traffic traffic;
    std::size_t connections = 0;
    std::size_t listeners = 0;                  ///< To the stream of events.
    std::vector<metrics::GpuSample> gpus = {};  ///< By GPU; may be shorter.
    std::string folder = {};                    ///< Of the store; empty: none.
    std::string version = {};
    Duration uptime{};
    const pipelines::Pipelines* pipelines = nullptr;  ///< None: nothing is said of them.
};

std::string scrape(const Scene& scene);

}  // namespace sy::server
