// The document's batch scheduling. Nodes are grouped by model and topological level, groups are sorted by level and
// then by expected time, longest first, and each goes to the GPUs of least cost: the time they are free plus the
// switch. Inside a batch nodes run one after another, each waiting for its own needs.
//
// The document asks for a batch size that balances switches and parallelism and leaves it open. Here a group is cut
// into as many batches as there are places for its model, but none shorter than kLeastPerSwitch times its switch.
#include "core/plan/batch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"

namespace sy::plan {

namespace {

constexpr std::int64_t kLeastPerSwitch = 4;

struct ModelBatch {
    ModelId model;
    std::uint32_t level = 0;
    Duration expected{};
    std::vector<JobIndex> jobs;
};

std::vector<ModelBatch> groups_of(const Jobs& jobs) {
    std::map<std::pair<std::uint32_t, ModelId>, ModelBatch> groups;
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        ModelBatch& group = groups[{jobs.level(job), jobs.model(job)}];
        group.model = jobs.model(job);
        group.level = jobs.level(job);
        group.expected += jobs.least_time(job);
        group.jobs.push_back(job);
    }
    std::vector<ModelBatch> all;
    for (auto& [key, group] : groups) all.push_back(std::move(group));
    return all;
}

/// Cuts one group into batches of about the same expected time.
void cut(const Problem& problem, const ModelBatch& group, std::vector<ModelBatch>& batches) {
    const Duration least = kLeastPerSwitch * std::max(problem.switch_cost().least(group.model), Duration(1ms));
    const auto places = static_cast<std::int64_t>(problem.spans(group.model).size());
    const std::int64_t parts = std::clamp<std::int64_t>(group.expected / least, 1, places);
    const Duration share = group.expected / parts;
    ModelBatch part{group.model, group.level, {}, {}};
    for (const JobIndex job : group.jobs) {
        part.jobs.push_back(job);
        part.expected += problem.jobs().least_time(job);
        if (part.expected < share || job == group.jobs.back()) continue;
        batches.push_back(std::move(part));
        part = {group.model, group.level, {}, {}};
    }
    if (!part.jobs.empty()) batches.push_back(std::move(part));
}

std::vector<ModelBatch> sorted_batches(const Problem& problem) {
    std::vector<ModelBatch> batches;
    for (const ModelBatch& group : groups_of(problem.jobs())) cut(problem, group, batches);
    std::stable_sort(batches.begin(), batches.end(), [](const ModelBatch& a, const ModelBatch& b) {
        return a.level != b.level ? a.level < b.level : a.expected > b.expected;
    });
    return batches;
}

/// Which kinds can run every one of these jobs.
std::vector<bool> kinds_for_all(const Problem& problem, const std::vector<JobIndex>& jobs) {
    std::vector<bool> able(problem.batch().kinds.size(), true);
    for (const JobIndex job : jobs)
        for (std::uint32_t kind = 0; kind < able.size(); ++kind)
            if (!problem.jobs().can_run_on(KindId(kind), job)) able[kind] = false;
    return able;
}

bool runs_on(const Problem& problem, const GpuSpan& span, const std::vector<bool>& able) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (!able[problem.kind(gpu).value()]) return false;
    return true;
}

}  // namespace

Draft BatchByModel::plan(const Problem& problem, const PlanOptions& options) const {
    const Jobs& jobs = problem.jobs();
    Fleet fleet(problem, options.preload);
    std::vector<Instant> end(jobs.size(), kStart);
    std::vector<PlannedJob> planned;
    planned.reserve(jobs.size());
    const auto ready = [&](JobIndex job) {
        Instant after = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { after = std::max(after, end[need]); });
        return after;
    };
    /// Where the batch could begin soonest, counting the switch; only places that can run all of it.
    const auto place_for = [&](const ModelBatch& batch) {
        const std::vector<bool> able = kinds_for_all(problem, batch.jobs);
        std::optional<GpuSpan> best;
        Instant soonest = kNever;
        for (const GpuSpan& span : problem.spans(batch.model)) {
            const bool fits = runs_on(problem, span, able);
            if (!fits) continue;
            const Instant start = fleet.offer(batch.jobs.front(), span, kStart)->start;
            if (start >= soonest) continue;
            soonest = start;
            best = span;
        }
        return best;
    };
    const auto run = [&](JobIndex job, const GpuSpan& span) {
        const PlannedJob offer = *fleet.offer(job, span, ready(job));
        fleet.take(offer);
        end[job] = offer.end;
        planned.push_back(offer);
    };
    for (const ModelBatch& batch : sorted_batches(problem)) {
        const auto span = place_for(batch);
        for (const JobIndex job : batch.jobs)
            run(job, span ? *span : *place_for({batch.model, batch.level, {}, {job}}));
    }
    return {std::move(planned)};
}

}  // namespace sy::plan
