#include "service/device/verdict.h"

#include <algorithm>

namespace sy::device {

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
        seen.foreign = Bytes((foreign + kStep - 1) / kStep * kStep);
    }
    if (seen == known.said) return std::nullopt;
    const bool broke = seen.faulty && !known.said.faulty;
    known.said = seen;
    return Finding{seen, broke ? reading.error : ""};
}

}  // namespace sy::device
