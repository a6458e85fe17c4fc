// The report of `simulate` in one page: what was tried, side by side. Plots and chart are those of the service's page.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/measure/study.h"
#include "core/model/job.h"

namespace sy::output {

/// What was tried on what, as the user put it.
struct Scene {
    std::string trace;
    std::string cluster;
    std::string fit;
    std::string place;
    std::uint64_t gpus = 0;
    std::vector<std::string> lanes = {};  ///< What the GPUs are called, one by one; none where they are too many.
};

/// `trace`: to tell of the jobs that the chart shows.
std::string simulate_html(const Scene& scene, const Trace& trace, std::span<const measure::Study> studies);

}  // namespace sy::output
