// The document's batch scheduling. Nodes are grouped by model and topological level, groups are sorted by level and
// then by expected time, longest first, and each goes to the GPUs of least cost: the time they are free plus the
// switch. Inside a batch nodes run one after another, each waiting for its own needs.
//
// The document asks for a batch size that balances switches and parallelism and leaves it open. Here a group is cut
// into as many batches as there are places for its model, but none shorter than kLeastPerSwitch times its switch.
//
// Cost: O(N + B log B + B log G) for B batches; the index finds each batch its place without a scan of all.
#include "core/plan/batch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"
#include "core/plan/place_index.h"

namespace sy::plan {

namespace {

constexpr std::int64_t kLeastPerSwitch = 4;

struct ModelBatch {
    ModelId model;
    std::uint32_t level = 0;
    Duration expected{};
    std::vector<JobIndex> jobs;
};

/// By level, then by model.
std::vector<ModelBatch> groups_of(const Jobs& jobs) {
    std::map<std::pair<std::uint32_t, ModelId>, ModelBatch> groups;
    std::vector<ModelBatch*> group_of(
        jobs.row_count());  // looked up once for each step of a workflow, not for each job
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        ModelBatch*& group = group_of[jobs.row(job)];
        if (group == nullptr) group = &groups[{jobs.level(job), jobs.model(job)}];
        group->model = jobs.model(job);
        group->level = jobs.level(job);
        group->expected += jobs.least_time(job);
        group->jobs.push_back(job);
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

/// By kind: nothing for those that can run every one of these jobs, negative for others.
std::vector<Duration> able_kinds(const Problem& problem, const std::vector<JobIndex>& jobs) {
    std::vector<Duration> able(problem.batch().kinds.size());
    for (std::uint32_t kind = 0; kind < able.size(); ++kind) {
        const auto runs = [&](JobIndex job) { return problem.jobs().can_run_on(KindId(kind), job); };
        if (!std::all_of(jobs.begin(), jobs.end(), runs)) able[kind] = Duration(-1);
    }
    return able;
}

}  // namespace

Draft BatchByModel::plan(const Problem& problem, const PlanOptions& options) const {
    const Jobs& jobs = problem.jobs();
    Fleet fleet(problem, options.preload);
    PlaceIndex places(problem, fleet, {.end = 1, .busy = 0});
    std::vector<Instant> end(jobs.size(), kStart);
    std::vector<PlannedJob> planned;
    planned.reserve(jobs.size());
    const auto ready = [&](JobIndex job) {
        Instant after = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { after = std::max(after, end[need]); });
        return after;
    };
    /// Where jobs of this model could begin soonest, counting the switch; only places that can run all of them.
    const auto place_for = [&](ModelId model, const std::vector<JobIndex>& together) {
        return places.best(model, kStart, able_kinds(problem, together));
    };
    const auto run = [&](JobIndex job, const GpuSpan& span) {
        const PlannedJob offer = *fleet.offer(job, span, ready(job));
        fleet.take(offer);
        places.changed(span);
        end[job] = offer.end;
        planned.push_back(offer);
    };
    for (const ModelBatch& batch : sorted_batches(problem)) {
        const auto span = place_for(batch.model, batch.jobs);
        for (const JobIndex job : batch.jobs) run(job, span ? *span : *place_for(batch.model, {job}));
    }
    return {std::move(planned)};
}

}  // namespace sy::plan
