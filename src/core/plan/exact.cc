// Begins with the best of a few dispatch passes. Where jobs are few, need nothing of each other and no gangs, the
// optimum is found by sets of jobs (partition.h). Elsewhere branch and bound (tree.h) looks for something shorter until
// nothing is left or the budget is spent. What it finds is an order of jobs with their places; the plan itself is built
// from that by the same Fleet that all strategies use.
#include "core/plan/exact.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"
#include "core/plan/partition.h"
#include "core/plan/search.h"
#include "core/plan/small.h"
#include "core/plan/tree.h"

namespace sy::plan {

namespace {

/// Passes spent on the plan to begin with; beyond so many jobs, one has to do.
constexpr std::uint64_t kFirstPasses = 27;
constexpr std::size_t kManyJobs = 10'000;
/// About as much work as a pass on such a batch.
constexpr std::uint64_t kLooksPerPass = 2'000;

Duration end_of(const std::vector<PlannedJob>& jobs) {
    Instant last = kStart;
    for (const PlannedJob& job : jobs) last = std::max(last, job.end);
    return last - kStart;
}

/// Adds jobs one after the other, each as soon as its place allows.
class Builder {
public:
    explicit Builder(const Problem& problem) : problem_(problem), fleet_(problem, true), end_(problem.jobs().size()) {}

    void add(JobIndex job, const GpuSpan& span) {
        Instant ready = kStart;
        problem_.jobs().for_each_need(job, [&](JobIndex need) { ready = std::max(ready, end_[need]); });
        const auto offer = fleet_.offer(job, span, ready);
        SY_CHECK(offer.has_value(), "job {} was given a place that cannot run it", job);
        fleet_.take(*offer);
        end_[job] = offer->end;
        planned_.push_back(*offer);
    }
    std::vector<PlannedJob> planned() && { return std::move(planned_); }

private:
    const Problem& problem_;
    Fleet fleet_;
    std::vector<Instant> end_;
    std::vector<PlannedJob> planned_;
};

std::vector<PlannedJob> built(const Problem& problem, const std::vector<Partial::Added>& order) {
    Builder builder(problem);
    for (const auto& [job, place] : order) builder.add(job, {GpuId(place.first), place.end - place.first});
    return std::move(builder).planned();
}

/// A few passes of `search`.
std::vector<PlannedJob> first_plan(const Problem& problem, PlanOptions options) {
    options.passes = problem.jobs().size() > kManyJobs ? 1 : std::min(options.passes, kFirstPasses);
    return Search().plan(problem, options).jobs;
}

/// The same order, everything as early as it goes.
std::vector<PlannedJob> moved_up(const Problem& problem, std::vector<PlannedJob> jobs) {
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const PlannedJob& a, const PlannedJob& b) { return a.start < b.start; });
    Builder builder(problem);
    for (const PlannedJob& job : jobs) builder.add(job.job, job.gpus);
    return std::move(builder).planned();
}

std::uint64_t looks_for(std::uint64_t passes) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return passes > most / kLooksPerPass ? most : passes * kLooksPerPass;
}

}  // namespace

Draft Exact::plan(const Problem& problem, const PlanOptions& options) const {
    Draft draft{first_plan(problem, options), options.good_enough};
    if (end_of(draft.jobs) <= options.good_enough || !Small::suits(problem)) return draft;
    draft.jobs = moved_up(problem, std::move(draft.jobs));
    const Duration first = end_of(draft.jobs);
    const Small small(problem);
    if (can_partition(small)) {
        draft.jobs = built(problem, partition(small));
        draft.proven = end_of(draft.jobs);
        if (draft.proven < first) options.improved(draft.proven);
        return draft;
    }
    const Tree::Budget budget{looks_for(options.passes), options.keep_going};
    const Tree tree(small, small.time(first), small.time(options.good_enough), budget,
                    [&](Small::Time makespan) { options.improved(small.duration(makespan)); });
    if (!tree.order().empty()) draft.jobs = built(problem, tree.order());
    draft.proven = std::max(options.good_enough, small.duration(tree.proven()));
    return draft;
}

}  // namespace sy::plan
