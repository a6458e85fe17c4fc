#include "core/pipeline/remeasure.h"

#include <algorithm>
#include <utility>

#include "base/wide.h"
#include "core/pipeline/appraise.h"

namespace sy::pipeline {

namespace {

Duration stretched(Duration time, Pace pace) {
    constexpr Wide kLongest = Duration(24h * 365 * 100).count();
    const Wide ns = (Wide{time.count()} * pace + kAsEstimated - 1) / kAsEstimated;
    return Duration(static_cast<std::int64_t>(std::min(ns, kLongest)));
}

Hops remeasured_hops(const Hops& hops, const estimate::MeasuredLayers& measured, std::uint32_t batch) {
    std::vector<Hops::Known> known = hops.known();
    for (const auto& [low, high, rtt] : measured.pairs())
        for (const auto& [from, to] : {std::pair(low, high), std::pair(high, low)})
            known.push_back({from, to, hop_of(rtt, hops.between(from, to).rate, batch)});
    return {std::move(known), hops.otherwise(), hops.with_client()};
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

Costs remeasured(Costs estimates, const std::vector<Range>& held, const estimate::MeasuredLayers& measured) {
    const auto nodes = static_cast<NodeIndex>(std::min(held.size(), estimates.nodes.size()));
    for (NodeIndex n = 0; n < nodes; ++n)
        if (const auto each = measured.layer(n)) {
            const Pace pace = pace_of(estimates, n, held[n], *each);
            estimates.nodes[n] = at_pace(std::move(estimates.nodes[n]), pace);
        }
    estimates.hops = remeasured_hops(estimates.hops, measured, estimates.batch);
    return estimates;
}

}  // namespace sy::pipeline
