#include "service/device/verdict.h"

#include <algorithm>
#include <cmath>

namespace sy::device {

namespace {

/// Rounded, so that a flicker is no event.
std::uint8_t in_steps(const std::optional<double>& value, double step) {
    return static_cast<std::uint8_t>(std::clamp(std::round(value.value_or(0) / step) * step, 0.0, 250.0));
}

}  // namespace

std::optional<Finding> Verdicts::judge(GpuId gpu, const Reading& reading, Bytes ours, Instant now) {
    if (gpu.value() >= known_.size()) known_.resize(gpu.value() + std::size_t{1});
    Known& known = known_[gpu.value()];
    known.said.gpu = gpu;
    ObserveGpu seen = known.said;
    if (!reading.error.empty()) {
        known.last_error = now;
        seen.faulty = true;
    } else {
        seen.faulty = known.said.faulty && now - known.last_error < probation_;
        const std::uint64_t foreign = reading.memory_used.value() - std::min(reading.memory_used, ours).value();
        seen.temperature_c = in_steps(reading.temperature_c, 5);
        seen.utilization_percent = in_steps(reading.utilization_percent, 20);
        seen.foreign = Bytes((foreign + kStep - 1) / kStep * kStep);
    }
    if (seen == known.said) return std::nullopt;
    const bool broke = seen.faulty && !known.said.faulty;
    known.said = seen;
    return Finding{seen, broke ? reading.error : ""};
}

}  // namespace sy::device
