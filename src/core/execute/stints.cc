#include "core/execute/stints.h"

#include <algorithm>

namespace sy::execute {

Stints::Stints(const plan::Problem& problem)
    : problem_(problem), sequences_(problem.batch().gpus.size()), pools_of_(problem.batch().models.size()) {}

void Stints::clear() {
    stints_.clear();
    for (Sequence& sequence : sequences_) sequence = {};
    for (Pool& pool : pools_) {
        pool.ready = {};
        pool.stints = 0;
        pool.begun = 0;
        pool.jobs_ready = 0;
        pool.sleepers.clear();
    }
}

StintId Stints::append(const PlannedJob& job) {
    const ModelId model = problem_.jobs().model(job.job);
    StintId last = kNoStint;
    for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
        const auto& stints = sequences_[gpu.value()].stints;
        const StintId own = stints.empty() ? kNoStint : stints.back();
        if (gpu == job.gpus.first) last = own;
        if (own != last) last = kNoStint;
    }
    if (last == kNoStint || stints_[last].model != model || stints_[last].gpus != job.gpus) {
        last = static_cast<StintId>(stints_.size());
        Stint stint;
        stint.model = model;
        stint.gpus = job.gpus;
        stint.from = job.load ? job.load->start : job.start;
        stint.pool = pool_of(model, job.gpus);
        ++pools_[stint.pool].stints;
        stints_.push_back(std::move(stint));
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next())
            sequences_[gpu.value()].stints.push_back(last);
    }
    ++stints_[last].left;
    return last;
}

StintId Stints::head(GpuId gpu) {
    Sequence& own = sequences_[gpu.value()];
    while (own.head < own.stints.size() && stints_[own.stints[own.head]].over) ++own.head;
    return own.head < own.stints.size() ? own.stints[own.head] : kNoStint;
}

const Stint* Stints::next(GpuId gpu) const {
    const Sequence& own = sequences_[gpu.value()];
    for (std::size_t i = own.head + 1; i < own.stints.size(); ++i) {
        const Stint& stint = stints_[own.stints[i]];
        if (!stint.over && stint.left > 0) return &stint;
    }
    return nullptr;
}

const Stint* Stints::next_other(GpuId gpu, std::optional<ModelId> model) const {
    const Sequence& own = sequences_[gpu.value()];
    for (std::size_t i = own.head; i < own.stints.size(); ++i) {
        const Stint& stint = stints_[own.stints[i]];
        if (!stint.over && stint.left > 0 && model != stint.model) return &stint;
    }
    return nullptr;
}

Instant Stints::next_from(GpuId gpu) const {
    const Stint* behind = next(gpu);
    return behind == nullptr ? kNever : behind->from;
}

void Stints::begin(StintId id) {
    if (stints_[id].begun) return;
    stints_[id].begun = true;
    ++pools_[stints_[id].pool].begun;
}

void Stints::end(StintId id) {
    if (stints_[id].over) return;
    stints_[id].over = true;
    --pools_[stints_[id].pool].stints;
    if (stints_[id].begun) --pools_[stints_[id].pool].begun;
}

std::uint32_t Stints::pool_of(ModelId model, const GpuSpan& gpus) {
    if (gpus.count == 1)
        for (const std::uint32_t id : pools_of_[model.value()])
            if (pools_[id].kinds.size() == 1 && pools_[id].kinds.front() == problem_.kind(gpus.first)) return id;
    std::vector<KindId> kinds;
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) kinds.push_back(problem_.kind(gpu));
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    for (const std::uint32_t id : pools_of_[model.value()])
        if (pools_[id].kinds == kinds) return id;
    const auto id = static_cast<std::uint32_t>(pools_.size());
    Pool pool;
    pool.model = model;
    pool.kinds = std::move(kinds);
    pools_.push_back(std::move(pool));
    pools_of_[model.value()].push_back(id);
    return id;
}

}  // namespace sy::execute
