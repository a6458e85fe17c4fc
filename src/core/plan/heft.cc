// Problem: a list of jobs in a good order is half a plan; the other half is not to waste the time in which GPUs wait
// for the needs of what was placed early. Choice: heterogeneous earliest finish time with insertion, switch-aware.
//
// The rank of a job is its mean time over the GPUs whose kind can run it, plus the greatest rank among its successors,
// plus, where that successor uses another model, one mean load of it onto an empty GPU. That is more than is paid when
// another GPU holds the model already and less than is paid when a large one must go, and needs no guess of either.
// Jobs go in order of rank, which is an order of needs as well: equal ranks go by level.
//
// Each goes where it ends first, in an opening or behind all else (openings.h); ties go to a place without a switch,
// then to the lowest GPU. Gangs are inserted by the same rule as single GPUs.
//
// Cost: O(N log N) and a look at every place for every job, each a bisection among a few openings. Where N × places
// passes kMostLooks it is append-only over the places of soonest.h: about a million nodes on 1,024 GPUs in
// seconds.
#include "core/plan/heft.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"
#include "core/plan/openings.h"
#include "core/plan/soonest.h"

namespace sy::plan {

namespace {

constexpr std::uint64_t kMostLooks = 10'000'000;

/// How many GPUs there are of each kind.
std::vector<double> gpus_by_kind(const Batch& batch) {
    std::vector<double> gpus(batch.kinds.size());
    for (const BatchGpu& gpu : batch.gpus) ++gpus[gpu.kind.value()];
    return gpus;
}

Duration mean_time(const Jobs& jobs, JobIndex job, const std::vector<double>& gpus) {
    double sum = 0;
    double weight = 0;
    for (std::uint32_t kind = 0; kind < gpus.size(); ++kind) {
        if (!jobs.can_run_on(KindId(kind), job)) continue;
        sum += gpus[kind] * static_cast<double>(jobs.time(KindId(kind), job).count());
        weight += gpus[kind];
    }
    return weight > 0 ? Duration(std::llround(sum / weight)) : jobs.least_time(job);
}

Duration mean_load(const Problem& problem, ModelId model, const std::vector<double>& gpus) {
    double sum = 0;
    for (std::uint32_t kind = 0; kind < gpus.size(); ++kind)
        sum += gpus[kind] * static_cast<double>(problem.switch_cost()(KindId(kind), std::nullopt, model).count());
    return Duration(std::llround(sum / static_cast<double>(problem.batch().gpus.size())));
}

std::vector<JobIndex> by_rank(const Problem& problem) {
    const auto ranks = upward_ranks(problem);
    std::vector<JobIndex> order(ranks.size());
    std::iota(order.begin(), order.end(), JobIndex{0});
    std::sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) {
        if (ranks[a] != ranks[b]) return ranks[a] > ranks[b];
        return std::tuple(problem.jobs().level(a), a) < std::tuple(problem.jobs().level(b), b);
    });
    return order;
}

std::uint64_t looks(const Problem& problem) {
    std::uint64_t sum = 0;
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) sum += problem.spans(problem.jobs().model(job)).size();
    return sum;
}

}  // namespace

std::vector<Duration> upward_ranks(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const auto gpus = gpus_by_kind(problem.batch());
    std::vector<Duration> loads;
    for (std::uint32_t m = 0; m < problem.batch().models.size(); ++m)
        loads.push_back(mean_load(problem, ModelId(m), gpus));

    std::vector<Duration> rank(jobs.size());
    for (const JobIndex job : successors_first(jobs)) {
        rank[job] += mean_time(jobs, job, gpus);  // the longest way behind it is there already
        jobs.for_each_need(job, [&](JobIndex need) {
            const bool switches = jobs.model(need) != jobs.model(job);
            rank[need] =
                std::max(rank[need], rank[job] + (switches ? loads[jobs.model(job).value()] : Duration::zero()));
        });
    }
    return rank;
}

std::vector<PlannedJob> insert_by_rank(const Problem& problem) {
    const auto order = by_rank(problem);
    const Jobs& jobs = problem.jobs();
    Openings openings(problem);
    for (const JobIndex job : order) {
        Instant ready = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { ready = std::max(ready, openings.planned(need).end); });
        std::optional<PlannedJob> best;
        for (const GpuSpan& span : problem.spans(jobs.model(job))) {
            const auto offer = openings.offer(job, span, ready, best ? best->end : kNever);
            if (!offer) continue;
            if (!best || std::pair(offer->end, offer->load.has_value()) < std::pair(best->end, best->load.has_value()))
                best = offer;
        }
        SY_CHECK(best.has_value(), "job {} has no place; the reader should have refused the batch", job);
        openings.take(*best);
    }
    std::vector<PlannedJob> planned;
    planned.reserve(order.size());
    for (const JobIndex job : order) planned.push_back(openings.planned(job));
    return planned;
}

std::vector<PlannedJob> append_by_rank(const Problem& problem) {
    const auto order = by_rank(problem);
    const Jobs& jobs = problem.jobs();
    Appender appender(problem);
    std::vector<PlannedJob> planned;
    planned.reserve(order.size());
    std::vector<Instant> end(jobs.size(), kStart);
    for (const JobIndex job : order) {
        Instant ready = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { ready = std::max(ready, end[need]); });
        planned.push_back(appender.append(job, ready, {}));
        end[job] = planned.back().end;
    }
    return planned;
}

Draft Heft::plan(const Problem& problem, const PlanOptions&) const {
    return {looks(problem) <= kMostLooks ? insert_by_rank(problem) : append_by_rank(problem)};
}

}  // namespace sy::plan
