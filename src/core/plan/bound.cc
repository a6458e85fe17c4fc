// Three bounds, and a grid.
//
// Critical path: the earliest start of a job is the later of its needs' earliest ends and of the cheapest load of its
// model (nothing, where some GPU holds a model at time 0 in the right group). Its own chain then follows. Preloading is
// allowed, so only the first load on a chain counts, and only from time 0.
//
// Setups (splittable): let model m have work A on each GPU of its gang of width w, and least load s. If all ends by T,
// one place can do at most T of it where m is held at time 0 and T − s elsewhere. So beyond the h warm places at least
// ceil((A − h·T)/(T − s)) loads are needed, and all of it must fit: Σ w·(A + s·loads) ≤ G·T. The left side never rises
// with T and the right side does, so the smallest such T is found by halving. Work and loads are taken at their least
// over all kinds, so the bound holds on mixed clusters too.
//
// Kinds: jobs that run on some kinds alone must fit on the GPUs of those kinds.
//
// Grid: in a plan where everything starts as early as it can, every instant is a sum of job and switch times, so it is
// a multiple of their common divisor, and some shortest plan is such a plan. The bound may be raised to the next
// multiple.
#include "core/plan/bound.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

namespace sy::plan {

namespace {

/// GPUs that hold the model at time 0, as an upper limit of the places that need no load.
std::vector<std::int64_t> warm_places(const Batch& batch) {
    std::vector<std::int64_t> held(batch.models.size());
    for (const BatchGpu& gpu : batch.gpus)
        if (gpu.holds) ++held[gpu.holds->value()];
    for (std::size_t m = 0; m < held.size(); ++m) held[m] /= batch.models[m].gpus;
    return held;
}

/// Each workflow's steps so that needs come first.
std::vector<std::vector<std::uint32_t>> steps_by_level(const Batch& batch) {
    std::vector<std::vector<std::uint32_t>> orders;
    for (const Workflow& workflow : batch.workflows) {
        auto& order = orders.emplace_back(workflow.steps.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return workflow.steps[a].level < workflow.steps[b].level;
        });
    }
    return orders;
}

struct Load {
    std::int64_t width = 1;
    std::int64_t work = 0;  ///< Nanoseconds on each GPU of the gang.
    std::int64_t least = 0;
    std::int64_t warm = 0;
};

std::vector<Load> loads_of(const Problem& problem) {
    const Batch& batch = problem.batch();
    const auto warm = warm_places(batch);
    std::vector<Load> loads(batch.models.size());
    for (std::size_t m = 0; m < loads.size(); ++m) {
        loads[m].width = batch.models[m].gpus;
        loads[m].least = problem.switch_cost().least(ModelId(static_cast<std::uint32_t>(m))).count();
        loads[m].warm = warm[m];
    }
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
        Load& load = loads[problem.jobs().model(job).value()];
        load.work += problem.jobs().least_time(job).count();
    }
    std::erase_if(loads, [](const Load& load) { return load.work == 0; });
    return loads;
}

/// Whether all could end by T as far as this bound can tell.
bool could_end_by(const std::vector<Load>& loads, std::int64_t gpus, std::int64_t T) {
    // The products do not fit 64 bits. Doubles round, by far less than the margin below, which leans towards "could":
    // the bound can only become lower by it, never false.
    double room = static_cast<double>(gpus) * static_cast<double>(T);
    for (const Load& load : loads) {
        const std::int64_t cold_work =
            load.work - std::min(load.work, load.warm > load.work / T ? load.work : load.warm * T);
        std::int64_t count = 0;
        if (cold_work > 0) {
            if (T <= load.least) return false;
            count = (cold_work - 1) / (T - load.least) + 1;
        }
        room -= static_cast<double>(load.width) *
                (static_cast<double>(load.work) + static_cast<double>(load.least) * static_cast<double>(count));
    }
    return room >= -1e-9 * static_cast<double>(gpus) * static_cast<double>(T);
}

/// What can come onto a GPU, and what can be there when it does.
struct PossibleLoads {
    std::set<ModelId> to;
    std::set<std::optional<ModelId>> from;
};

PossibleLoads loads_that_can_occur(const Problem& problem) {
    const Batch& batch = problem.batch();
    PossibleLoads possible;
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) possible.to.insert(problem.jobs().model(job));
    possible.from.insert(possible.to.begin(), possible.to.end());
    for (const BatchGpu& gpu : batch.gpus) possible.from.insert(gpu.holds);
    for (const ModelId model : possible.to)  // a part of another group counts as nothing
        if (batch.models[model.value()].gpus > 1) possible.from.insert(std::nullopt);
    return possible;
}

}  // namespace

Duration critical_path_bound(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const auto warm = warm_places(problem.batch());
    const auto orders = steps_by_level(problem.batch());
    std::vector<Duration> end(jobs.size());
    Duration last{};
    for (std::uint32_t r = 0; r < problem.batch().requests.size(); ++r)
        for (const std::uint32_t step : orders[problem.batch().requests[r].workflow]) {
            const JobIndex job = jobs.first_of(r) + step;
            const ModelId model = jobs.model(job);
            Duration start = warm[model.value()] > 0 ? Duration::zero() : problem.switch_cost().least(model);
            jobs.for_each_need(job, [&](JobIndex need) { start = std::max(start, end[need]); });
            end[job] = start + jobs.least_time(job);
            last = std::max(last, end[job]);
        }
    return last;
}

Duration setup_bound(const Problem& problem) {
    const auto loads = loads_of(problem);
    if (loads.empty()) return Duration::zero();
    const auto gpus = static_cast<std::int64_t>(problem.batch().gpus.size());
    std::int64_t low = 0;  // cannot
    std::int64_t high = 1;
    while (!could_end_by(loads, gpus, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (could_end_by(loads, gpus, middle) ? high : low) = middle;
    }
    return Duration(high);
}

Duration kind_bound(const Problem& problem) {
    const Batch& batch = problem.batch();
    const Jobs& jobs = problem.jobs();
    std::vector<std::int64_t> gpus_of(batch.kinds.size());
    for (const BatchGpu& gpu : batch.gpus) ++gpus_of[gpu.kind.value()];
    std::map<std::set<std::uint32_t>, std::int64_t> work;  // of jobs that run on these kinds alone
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        std::set<std::uint32_t> able;
        for (std::uint32_t kind = 0; kind < batch.kinds.size(); ++kind)
            if (jobs.can_run_on(KindId(kind), job)) able.insert(kind);
        work[able] += jobs.least_time(job).count() * batch.models[jobs.model(job).value()].gpus;
    }
    Duration bound{};
    for (const auto& [kinds, own] : work) {
        std::int64_t total = 0;
        for (const auto& [others, theirs] : work)
            if (std::includes(kinds.begin(), kinds.end(), others.begin(), others.end())) total += theirs;
        std::int64_t gpus = 0;
        for (const std::uint32_t kind : kinds) gpus += gpus_of[kind];
        bound = std::max(bound, Duration((total + gpus - 1) / gpus));
    }
    return bound;
}

Duration grain(const Problem& problem) {
    const Batch& batch = problem.batch();
    const auto [to, from] = loads_that_can_occur(problem);
    std::int64_t common = 0;
    for (std::uint32_t kind = 0; kind < batch.kinds.size() && common != 1; ++kind) {
        for (JobIndex job = 0; job < problem.jobs().size() && common != 1; ++job)
            if (problem.jobs().can_run_on(KindId(kind), job))
                common = std::gcd(common, problem.jobs().time(KindId(kind), job).count());
        for (const ModelId incoming : to)
            for (const auto outgoing : from)
                common = std::gcd(common, problem.switch_cost()(KindId(kind), outgoing, incoming).count());
    }
    return Duration(std::max<std::int64_t>(common, 1));
}

Duration lower_bound(const Problem& problem) {
    Duration bound = std::max(critical_path_bound(problem), setup_bound(problem));
    if (problem.batch().kinds.size() > 1) bound = std::max(bound, kind_bound(problem));
    const Duration step = grain(problem);
    return (bound + step - Duration(1)) / step * step;
}

}  // namespace sy::plan
