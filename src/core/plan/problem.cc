#include "core/plan/problem.h"

#include <algorithm>

namespace sy::plan {

namespace {

std::vector<GpuSpan> spans_with_room(const Batch& batch, const ModelSpec& model) {
    std::vector<GpuSpan> spans;
    std::uint32_t run = 0;  // GPUs up to here, on this node, that have room
    for (std::uint32_t gpu = 0; gpu < batch.gpus.size(); ++gpu) {
        const bool same_node = gpu > 0 && batch.gpus[gpu].node == batch.gpus[gpu - 1].node;
        const bool has_room = batch.gpus[gpu].memory >= model.memory_per_gpu();
        run = has_room ? (same_node ? run : 0) + 1 : 0;
        if (run >= model.gpus) spans.push_back({GpuId(gpu + 1 - model.gpus), model.gpus});
    }
    return spans;
}

}  // namespace

Problem::Problem(const Batch& batch) : batch_(batch), jobs_(batch), switch_cost_(batch) {
    for (const ModelSpec& model : batch.models) spans_.push_back(spans_with_room(batch, model));
    prices_ = Prices(*this);
}

std::vector<bool> Problem::kinds_with_room(ModelId model) const {
    std::vector<bool> has_room(batch_.kinds.size());
    for (const GpuSpan& span : spans(model))
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) has_room[kind(gpu).value()] = true;
    return has_room;
}

Duration Problem::time_in_gang(JobIndex job, const GpuSpan& span) const {
    Duration longest = Duration::zero();
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        if (!jobs_.can_run_on(kind(gpu), job)) return Duration(-1);
        longest = std::max(longest, jobs_.time(kind(gpu), job));
    }
    return longest;
}

}  // namespace sy::plan
