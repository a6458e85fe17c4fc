#include "core/execute/seats.h"

#include <algorithm>

namespace sy::execute {

Seats::Seats(const plan::Problem& problem) : problem_(problem), seats_(problem.batch().gpus.size()) {
    const auto& gpus = problem.batch().gpus;
    for (std::uint32_t begin = 0; begin < gpus.size();) {
        const auto held = gpus[begin].holds;
        const GpuCount wanted = held ? problem.batch().models[held->value()].gpus : 1;
        std::uint32_t end = begin + 1;
        while (end < gpus.size() && end - begin < wanted && gpus[end].holds == held &&
               gpus[end].node == gpus[begin].node)
            ++end;
        for (std::uint32_t i = begin; i < end; ++i) {
            seats_[i].model = held;
            seats_[i].group = {GpuId(begin), end - begin};
        }
        begin = end;
    }
}

bool Seats::holds(const GpuSpan& span, ModelId model) const {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (!holds_part(gpu, span, model)) return false;
    return true;
}

bool Seats::is_free(const GpuSpan& span) const {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (!is_free(gpu)) return false;
    return true;
}

Duration Seats::switch_time(const GpuSpan& span, ModelId model) const {
    Duration slowest{};
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        if (holds_part(gpu, span, model)) continue;
        const auto from = at(gpu).model == model ? std::nullopt : at(gpu).model;  // another group's part is of no use
        slowest = std::max(slowest, problem_.switch_cost()(problem_.kind(gpu), from, model));
    }
    return slowest;
}

GpuCount Seats::settle(const GpuSpan& span, ModelId model) {
    GpuCount loads = 0;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        if (holds_part(gpu, span, model)) continue;
        at(gpu).model = model;
        at(gpu).group = span;
        ++loads;
    }
    return loads;
}

void Seats::give(JobIndex job, const GpuSpan& span) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) at(gpu).given.push_back(job);
}

void Seats::take_away(JobIndex job, const GpuSpan& span) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) std::erase(at(gpu).given, job);
}

}  // namespace sy::execute
