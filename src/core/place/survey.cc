#include "core/place/survey.h"

#include <algorithm>
#include <limits>

namespace sy::place {

namespace {

/// Whether a demand for others may come to this GPU all the same: one of those takes no work.
bool may_use(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand) {
    return !demand.is_tied() || demand.on.contains(gpu) || !ledger.takes_work(demand.on);
}

bool can_take(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand) {
    return ledger.is_right_kind(ledger.node_of(gpu), demand) && may_use(ledger, gpu, demand) && ledger.is_free(gpu) &&
           ledger.room(gpu) >= demand.memory;
}

/// The longest run of GPUs from `from` on that can take the demand, within the node.
GpuSpan run_from(const cluster::Ledger& ledger, GpuId from, GpuId node_end, const Demand& demand) {
    GpuSpan run{from, 0};
    while (run.end() < node_end && can_take(ledger, run.end(), demand)) ++run.count;
    return run;
}

/// Where to count a GPU that cannot take the demand.
std::uint32_t& obstacle(const cluster::Ledger& ledger, GpuId gpu, const Demand& demand, Survey& survey) {
    if (!may_use(ledger, gpu, demand)) return survey.elsewhere;  // however it is with those
    if (!ledger.is_right_kind(ledger.node_of(gpu), demand)) return survey.other_kind;
    const GpuCondition& condition = ledger.condition(gpu);
    if (condition.duty == GpuDuty::reserved) return survey.reserved;
    if (condition.duty == GpuDuty::draining || condition.duty == GpuDuty::leaving) return survey.draining;
    if (condition.faulty) return survey.faulty;
    if (!ledger.is_present(gpu) || condition.duty == GpuDuty::cut_off) return survey.no_worker;
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

namespace {

Reason never_fits_there(const cluster::Ledger& ledger, const Demand& demand) {
    const GpuSpan& span = demand.on;
    if (span.count != demand.gpus) return {Cause::tied_to_other_number, span.count, demand.gpus};
    const auto last = std::uint64_t{span.first.value()} + span.count - 1;
    const bool known = last < ledger.gpu_count();
    if (!known || ledger.is_gone(span.first))
        return {Cause::unknown_gpu, static_cast<std::int64_t>(last), static_cast<std::int64_t>(ledger.gpu_count())};
    if (!ledger.is_right_kind(ledger.node_of(span.first), demand))
        return {Cause::no_such_kind, static_cast<std::int64_t>(demand.kind.value()), 0};
    if (ledger.node_of(span.first) != ledger.node_of(GpuId(static_cast<std::uint32_t>(last))))
        return {Cause::gang_too_wide, span.count, 1};
    Bytes least = ledger.memory(span.first);
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) least = std::min(least, ledger.memory(gpu));
    if (demand.memory > least) return {Cause::memory_too_large, figure(demand.memory), figure(least)};
    return {};
}

}  // namespace

Reason never_fits(const cluster::Ledger& ledger, const Demand& demand) {
    if (demand.gpus == 0) return {Cause::no_gpus, 0, 1};
    if (demand.kind != KindId{} && !ledger.has_kind(demand.kind))
        return {Cause::no_such_kind, static_cast<std::int64_t>(demand.kind.value()), 0};
    if (demand.gpus > ledger.widest_gang()) return {Cause::gang_too_wide, demand.gpus, ledger.widest_gang()};
    const Bytes largest = ledger.largest_memory(demand.gpus);
    if (demand.memory > largest) return {Cause::memory_too_large, figure(demand.memory), figure(largest)};
    return demand.is_tied() ? never_fits_there(ledger, demand) : Reason{};
}

Survey survey(const cluster::Ledger& ledger, const Demand& demand) {
    Survey result;
    for (const GpuSpan& node : ledger.nodes()) {
        if (ledger.is_gone(node.first)) continue;
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
