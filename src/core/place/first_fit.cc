#include "core/place/first_fit.h"

#include <algorithm>
#include <limits>

namespace sy::place {

namespace {

bool can_take(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand) {
    return ledger.is_free(gpu) && ledger.memory(gpu) >= demand.memory;
}

/// The longest run of GPUs from `from` on that can take the demand, within the node.
GpuSpan run_from(const cluster::Ledger& ledger, GpuId from, GpuId node_end, const Demand& demand) {
    GpuSpan run{from, 0};
    while (run.end() < node_end && can_take(ledger, run.end(), demand)) ++run.count;
    return run;
}

std::optional<GpuSpan> first_single(const cluster::Ledger& ledger, const Demand& demand) {
    const GpuId end(static_cast<std::uint32_t>(ledger.gpu_count()));
    for (GpuId gpu = ledger.next_free(GpuId(0), end); gpu < end; gpu = ledger.next_free(gpu.next(), end))
        if (ledger.memory(gpu) >= demand.memory) return GpuSpan{gpu, 1};
    return std::nullopt;
}

std::optional<GpuSpan> first_gang(const cluster::Ledger& ledger, const Demand& demand) {
    for (const GpuSpan& node : ledger.nodes()) {
        for (GpuId gpu = ledger.next_free(node.first, node.end()); gpu < node.end();) {
            const GpuSpan run = run_from(ledger, gpu, node.end(), demand);
            if (run.count >= demand.gpus) return GpuSpan{gpu, demand.gpus};
            gpu = run.end() < node.end() ? ledger.next_free(run.end().next(), node.end()) : node.end();
        }
    }
    return std::nullopt;
}

/// For a reason: saturated, so that no amount looks negative.
std::int64_t figure(Bytes bytes) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(bytes.value(), kLargest));
}

}  // namespace

std::optional<GpuSpan> first_fit(const cluster::Ledger& ledger, const Demand& demand) {
    if (ledger.free_count() < demand.gpus) return std::nullopt;
    return demand.gpus == 1 ? first_single(ledger, demand) : first_gang(ledger, demand);
}

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
            if (!ledger.is_present(gpu)) {
                ++result.no_worker;
            } else if (!ledger.is_free(gpu)) {
                ++result.busy;
            } else {
                ++result.too_small;
            }
            gpu = gpu.next();
        }
    }
    return result;
}

}  // namespace sy::place
