#include "core/place/survey.h"

#include <algorithm>
#include <limits>

namespace sy::place {

namespace {

bool can_take(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand) {
    return ledger.is_free(gpu) && ledger.room(gpu) >= demand.memory;
}

/// The longest run of GPUs from `from` on that can take the demand, within the node.
GpuSpan run_from(const cluster::Ledger& ledger, GpuId from, GpuId node_end, const Demand& demand) {
    GpuSpan run{from, 0};
    while (run.end() < node_end && can_take(ledger, run.end(), demand)) ++run.count;
    return run;
}

/// Where to count a GPU that cannot take the demand.
std::uint32_t& obstacle(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand, Survey& survey) {
    const GpuCondition& condition = ledger.condition(gpu);
    if (condition.duty == GpuDuty::reserved) return survey.reserved;
    if (condition.duty == GpuDuty::draining) return survey.draining;
    if (condition.faulty) return survey.faulty;
    if (!ledger.is_present(gpu)) return survey.no_worker;
    if (ledger.is_kept(gpu)) return survey.kept;
    if (!ledger.is_free(gpu)) return survey.busy;
    return ledger.memory(gpu) >= demand.memory ? survey.crowded : survey.too_small;
}

/// For a reason: saturated, so that no amount looks negative.
std::int64_t figure(Bytes bytes) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(bytes.value(), kLargest));
}

}  // namespace

Reason never_fits(const cluster::Ledger& ledger, const Demand& demand) {
    if (demand.gpus == 0) return {Cause::no_gpus, 0, 1};
    if (demand.gpus > ledger.widest_gang()) return {Cause::gang_too_wide, demand.gpus, ledger.widest_gang()};
    const Bytes largest = ledger.largest_memory(demand.gpus);
    if (demand.memory > largest) return {Cause::memory_too_large, figure(demand.memory), figure(largest)};
    return {};
}

Survey survey(const cluster::Ledger& ledger, const Demand& demand) {
    Survey result;
    for (const GpuSpan& node : ledger.nodes()) {
        for (GpuId gpu = node.first; gpu < node.end();) {
            const GpuSpan run = run_from(ledger, gpu, node.end(), demand);
            (run.count >= demand.gpus ? result.suitable : result.gang_short) += run.count;
            gpu = run.end();
            if (gpu == node.end()) break;
            ++obstacle(ledger, gpu, demand, result);
            gpu = gpu.next();
        }
    }
    return result;
}

}  // namespace sy::place
