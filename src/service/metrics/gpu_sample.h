// GpuSample: what a card said of itself when it was last asked. What it did not say is not reported.
#pragma once

#include <optional>

#include "base/units.h"

namespace sy::metrics {

struct GpuSample {
    std::optional<Bytes> memory_total;
    std::optional<Bytes> memory_used;
    std::optional<double> utilization_percent;
    std::optional<double> temperature_celsius;
};

}  // namespace sy::metrics
