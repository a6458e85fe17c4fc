#include "core/estimate/recent_mean.h"

#include <algorithm>

#include "base/wide.h"

namespace sy::estimate {

void RecentMean::add(Duration mean, std::uint32_t samples) {
    if (samples == 0) return;
    const Wide sum = Wide{mean_.count()} * weight_ + Wide{mean.count()} * samples;
    const Wide count = Wide{weight_} + samples;
    mean_ = Duration(static_cast<std::int64_t>((sum + count / 2) / count));
    // One less than the memory, so that the next sample makes it full and weighs one part of it.
    weight_ = static_cast<std::uint32_t>(std::min<Wide>(count, kMemory - 1));
}

std::optional<Duration> RecentMean::value() const {
    return weight_ == 0 ? std::nullopt : std::optional(mean_);
}

}  // namespace sy::estimate
