// The document's dynamic scheduling, faithfully: ready nodes by topological level with a small random amount, each
// placed where completion time plus 0.1 × total busy time is least. Model affinity needs no term of its own: a GPU that
// holds the model saves the switch. A gang is judged by its members' mean busy time; ties go to the lowest GPU.
//
// Cost: O(N log N + N·G), a scan of every place for every node. This is the plain version; an index that gives the same
// plan in less than G steps a node is still to come (P14).
#include "core/plan/dynamic.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"
#include "core/plan/ready_queue.h"

namespace sy::plan {

namespace {

/// Ten times the document's score, to stay with integers: 10 × completion + busy.
std::int64_t score(const Fleet& fleet, const PlannedJob& offer) {
    Duration busy{};
    for (GpuId gpu = offer.gpus.first; gpu < offer.gpus.end(); gpu = gpu.next()) busy += fleet.busy(gpu);
    return 10 * (offer.end - kStart).count() + busy.count() / offer.gpus.count;
}

}  // namespace

Draft Dynamic::plan(const Problem& problem, const PlanOptions& options) const {
    const Jobs& jobs = problem.jobs();
    Fleet fleet(problem, options.preload);
    ReadyQueue ready(jobs, options.seed);
    std::vector<Instant> end(jobs.size(), kStart);
    std::vector<PlannedJob> planned;
    planned.reserve(jobs.size());
    while (!ready.empty()) {
        const JobIndex job = ready.take();
        Instant after = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { after = std::max(after, end[need]); });

        std::optional<PlannedJob> best;
        std::int64_t best_score = std::numeric_limits<std::int64_t>::max();
        for (const GpuSpan& span : problem.spans(jobs.model(job))) {
            const auto offer = fleet.offer(job, span, after);
            if (!offer || score(fleet, *offer) >= best_score) continue;
            best = offer;
            best_score = score(fleet, *offer);
        }
        SY_CHECK(best.has_value(), "job {} has no place; the reader should have refused the batch", job);
        fleet.take(*best);
        end[job] = best->end;
        planned.push_back(*best);
    }
    return {std::move(planned)};
}

}  // namespace sy::plan
