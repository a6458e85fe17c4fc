// The report of `simulate` in one page: plots of what was tried, side by side.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/measure/study.h"

namespace sy::output {

/// What was tried on what, as the user put it.
struct Scene {
    std::string trace;
    std::string cluster;
    std::string fit;
    std::string place;
    std::uint64_t gpus = 0;
};

std::string simulate_html(const Scene& scene, std::span<const measure::Study> studies);

}  // namespace sy::output
