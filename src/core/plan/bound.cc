// Four bounds, and a grid.
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
// Kinds: see prices.h. Energy: see energy.h; looked for among all jobs on all GPUs, among those that only some kinds
// can run, on these, and among gangs of at least some width, of which so many fit side by side on the nodes.
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

#include "core/plan/dispatch.h"
#include "core/plan/energy.h"

namespace sy::plan {

namespace {

/// On large batches intervals near the ends say nothing that the sum of all work does not.
constexpr std::size_t kMostJobsForEnergy = 20'000;

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

/// Most times are multiples of what is common already, and one division tells.
std::int64_t common_divisor(std::int64_t common, std::int64_t next) {
    return common != 0 && next % common == 0 ? common : std::gcd(common, next);
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

std::vector<Duration> heads(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const auto warm = warm_places(problem.batch());
    const auto orders = steps_by_level(problem.batch());
    std::vector<Duration> start(jobs.size());
    for (std::uint32_t r = 0; r < problem.batch().requests.size(); ++r)
        for (const std::uint32_t step : orders[problem.batch().requests[r].workflow]) {
            const JobIndex job = jobs.first_of(r) + step;
            const ModelId model = jobs.model(job);
            if (warm[model.value()] == 0) start[job] = problem.switch_cost().least(model);
            jobs.for_each_need(
                job, [&](JobIndex need) { start[job] = std::max(start[job], start[need] + jobs.least_time(need)); });
        }
    return start;
}

Duration critical_path_bound(const Problem& problem) {
    const auto start = heads(problem);
    Duration last{};
    for (JobIndex job = 0; job < start.size(); ++job)
        last = std::max(last, start[job] + problem.jobs().least_time(job));
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

namespace {

/// All jobs of one group and what fits side by side of them.
struct Group {
    std::vector<Charge> charges;
    std::int64_t capacity = 0;
};

/// Kinds that can run the job, as far as its own seconds and its model's room go.
std::vector<bool> able_kinds(const Problem& problem, JobIndex job, const std::vector<std::vector<bool>>& has_room) {
    std::vector<bool> able = has_room[problem.jobs().model(job).value()];
    for (std::uint32_t kind = 0; kind < able.size(); ++kind)
        able[kind] = able[kind] && problem.jobs().can_run_on(KindId(kind), job);
    return able;
}

bool is_within(const std::vector<bool>& part, const std::vector<bool>& whole) {
    for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] && !whole[i]) return false;
    return true;
}

/// For each set of kinds that some job is limited to: all jobs that must run there.
void add_groups_by_kind(const Problem& problem, const std::vector<Charge>& charges, std::vector<Group>& groups) {
    std::vector<std::vector<bool>> has_room;
    for (std::uint32_t m = 0; m < problem.batch().models.size(); ++m)
        has_room.push_back(problem.kinds_with_room(ModelId(m)));
    std::map<std::vector<bool>, std::vector<JobIndex>> by_kinds;
    for (JobIndex job = 0; job < charges.size(); ++job) by_kinds[able_kinds(problem, job, has_room)].push_back(job);
    for (const auto& [kinds, own] : by_kinds) {
        Group group;
        for (const auto& [others, jobs] : by_kinds)
            if (is_within(others, kinds))
                for (const JobIndex job : jobs) group.charges.push_back(charges[job]);
        for (const BatchGpu& gpu : problem.batch().gpus) group.capacity += kinds[gpu.kind.value()] ? 1 : 0;
        groups.push_back(std::move(group));
    }
}

/// Gangs at least this wide that fit side by side.
std::int64_t side_by_side(const Batch& batch, GpuCount width) {
    std::int64_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < batch.gpus.size(); begin = end) {
        while (end < batch.gpus.size() && batch.gpus[end].node == batch.gpus[begin].node) ++end;
        count += static_cast<std::int64_t>((end - begin) / width);
    }
    return count;
}

/// For each width of a gang: all jobs as wide or wider, counted by the head.
void add_groups_by_width(const Problem& problem, const std::vector<Charge>& charges, std::vector<Group>& groups) {
    std::set<GpuCount> widths;
    for (const ModelSpec& model : problem.batch().models)
        if (model.gpus > 1) widths.insert(model.gpus);
    for (const GpuCount width : widths) {
        Group group{{}, side_by_side(problem.batch(), width)};
        for (JobIndex job = 0; job < charges.size(); ++job)
            if (problem.batch().models[problem.jobs().model(job).value()].gpus >= width) {
                group.charges.push_back(charges[job]);
                group.charges.back().weight = 1;
            }
        groups.push_back(std::move(group));
    }
}

std::vector<Charge> charges_of(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const auto start = heads(problem);
    const auto levels = bottom_levels(jobs);
    std::vector<Charge> charges;
    for (JobIndex job = 0; job < jobs.size(); ++job)
        charges.push_back({start[job], jobs.least_time(job), levels[job] - jobs.least_time(job),
                           problem.batch().models[jobs.model(job).value()].gpus});
    return charges;
}

}  // namespace

Duration energy_bound(const Problem& problem, Duration known) {
    const auto charges = charges_of(problem);
    std::vector<Group> groups;
    add_groups_by_kind(problem, charges, groups);
    add_groups_by_width(problem, charges, groups);
    const Duration step = grain(problem);
    for (const Group& group : groups) known = energy_bound(group.charges, group.capacity, known, step);
    return known;
}

Duration grain(const Problem& problem) {
    const Batch& batch = problem.batch();
    const auto [to, from] = loads_that_can_occur(problem);
    std::int64_t common = 0;
    for (std::uint32_t kind = 0; kind < batch.kinds.size() && common != 1; ++kind) {
        for (JobIndex job = 0; job < problem.jobs().size() && common != 1; ++job)
            if (problem.jobs().can_run_on(KindId(kind), job))
                common = common_divisor(common, problem.jobs().time(KindId(kind), job).count());
        for (const ModelId incoming : to)
            for (const auto outgoing : from)
                common = common_divisor(common, problem.switch_cost()(KindId(kind), outgoing, incoming).count());
    }
    return Duration(std::max<std::int64_t>(common, 1));
}

Duration lower_bound(const Problem& problem) {
    Duration bound = std::max({critical_path_bound(problem), setup_bound(problem), problem.prices().bound()});
    const Duration step = grain(problem);
    bound = (bound + step - Duration(1)) / step * step;
    if (problem.jobs().size() <= kMostJobsForEnergy) bound = energy_bound(problem, bound);
    return bound;
}

}  // namespace sy::plan
