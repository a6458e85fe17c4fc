#include "core/pipeline/remeasure.h"

#include <algorithm>
#include <utility>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

Duration stretched(Duration time, Pace pace) {
    constexpr Wide kLongest = Duration(24h * 365 * 100).count();
    const Wide ns = (Wide{time.count()} * pace + kAsEstimated - 1) / kAsEstimated;
    return Duration(static_cast<std::int64_t>(std::min(ns, kLongest)));
}

}  // namespace

Pace pace_of(const Costs& estimates, NodeIndex node, Range held, Duration each) {
    if (held.empty() || !estimates.fits(node, held)) return kAsEstimated;
    const Duration estimated = estimates.time(node, held);
    if (estimated <= Duration::zero()) return kAsEstimated;
    const Wide pace = Wide{each.count()} * held.size() * kAsEstimated / estimated.count();
    return static_cast<Pace>(std::clamp<Wide>(pace, kFastestPace, kSlowestPace));
}

NodeCosts at_pace(NodeCosts node, Pace pace) {
    if (pace == kAsEstimated) return node;
    for (auto* times : {&node.time_before, &node.measured_time, &node.prompt_before})
        for (Duration& time : *times) time = stretched(time, pace);
    for (Rate& rate : node.measured_rate)
        rate = static_cast<Rate>(std::clamp<Wide>(Wide{rate} * kAsEstimated / pace, 1, kNoLimit));
    return node;
}

}  // namespace sy::pipeline
