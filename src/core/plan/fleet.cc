#include "core/plan/fleet.h"

#include <algorithm>
#include <cmath>

namespace sy::plan {

Fleet::Fleet(const Problem& problem, bool preload)
    : problem_(problem), preload_(preload), gpus_(problem.batch().gpus.size()) {
    const auto& gpus = problem.batch().gpus;
    for (std::uint32_t begin = 0; begin < gpus.size();) {
        const auto held = gpus[begin].holds;
        const GpuCount wanted = held ? problem.batch().models[held->value()].gpus : 1;
        std::uint32_t end = begin + 1;
        while (held && end < gpus.size() && end - begin < wanted && gpus[end].holds == held &&
               gpus[end].node == gpus[begin].node)
            ++end;
        for (std::uint32_t i = begin; i < end; ++i) {
            gpus_[i].model = held;
            gpus_[i].group = {GpuId(begin), end - begin};
        }
        begin = end;
    }
}

Fleet::Fleet(const Problem& problem, const Situation& situation)
    : problem_(problem), preload_(true), pace_(&situation.pace), gpus_(problem.batch().gpus.size()) {
    for (std::uint32_t i = 0; i < gpus_.size(); ++i)
        gpus_[i] = {situation.now, Duration::zero(), situation.gpus[i].model, situation.gpus[i].group};
    for (const Underway& busy : situation.underway)
        for (GpuId gpu = busy.gpus.first; gpu < busy.gpus.end(); gpu = gpu.next())
            gpus_[gpu.value()].free = std::max(gpus_[gpu.value()].free, busy.end);
}

Duration Fleet::paced(Duration planned, JobIndex job) const {
    if (pace_ == nullptr || planned <= Duration::zero()) return planned;
    return Duration(std::llround(static_cast<double>(planned.count()) * (*pace_)[problem_.jobs().model(job).value()]));
}

bool Fleet::holds(const GpuSpan& span, ModelId model) const {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (!holds_part(gpu, span, model)) return false;
    return true;
}

bool Fleet::holds_part(GpuId gpu, const GpuSpan& span, ModelId model) const {
    const State& state = gpus_[gpu.value()];
    return state.model == model && state.group == span;
}

Duration Fleet::switch_time(const GpuSpan& span, ModelId model) const {
    Duration slowest{};
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        if (holds_part(gpu, span, model)) continue;
        const State& state = gpus_[gpu.value()];
        const auto from = state.model == model ? std::nullopt : state.model;  // another group's part is of no use
        slowest = std::max(slowest, problem_.switch_cost()(problem_.kind(gpu), from, model));
    }
    return slowest;
}

std::optional<PlannedJob> Fleet::offer(JobIndex job, const GpuSpan& span, Instant ready) const {
    const Duration lasts = time(job, span);
    if (lasts < Duration::zero()) return std::nullopt;
    Instant free = kStart;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) free = std::max(free, free_at(gpu));
    PlannedJob planned{job, span, std::nullopt, std::max(free, ready), {}};
    if (!holds(span, problem_.jobs().model(job))) {
        const Instant begin = preload_ ? free : planned.start;
        planned.load = SwitchTimes{begin, begin + switch_time(span, problem_.jobs().model(job))};
        planned.start = std::max(planned.start, planned.load->end);
    }
    planned.end = planned.start + lasts;
    return planned;
}

void Fleet::take(const PlannedJob& job) {
    const ModelId model = problem_.jobs().model(job.job);
    for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
        State& state = gpus_[gpu.value()];
        state.busy += job.end - job.start + (job.load ? job.load->end - job.load->start : Duration::zero());
        state.free = job.end;
        state.model = model;
        state.group = job.gpus;
    }
}

}  // namespace sy::plan
