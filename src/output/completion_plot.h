// The completion times of several studies in one plot: which part of the jobs is done within which time.
#pragma once

#include <optional>
#include <span>

#include "core/measure/study.h"
#include "output/plot.h"

namespace sy::output {

/// Nothing where no job took any time.
std::optional<Plot> completion_plot(std::span<const measure::Study> studies);

}  // namespace sy::output
