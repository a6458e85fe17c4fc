// The document's dynamic scheduling, faithfully: ready nodes by topological level with a small random amount, each
// placed where completion time plus 0.1 × total busy time is least. Model affinity needs no term of its own: a GPU that
// holds the model saves the switch. A gang is judged by its members' mean busy time; ties go to the lowest GPU.
//
// Cost: O(N log N) for the order and, by the index, O(log G) for each node instead of a scan of every place (P14).
#include "core/plan/dynamic.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/plan/balance.h"
#include "core/plan/fleet.h"
#include "core/plan/place_index.h"
#include "core/plan/ready_queue.h"

namespace sy::plan {

Draft Dynamic::plan(const Problem& problem, const PlanOptions& options) const {
    const Jobs& jobs = problem.jobs();
    Fleet fleet(problem, options.preload);
    Balance balance(fleet, options.balance_hundredths);
    PlaceIndex places(problem, fleet, balance.weights());
    ReadyQueue ready(jobs, options.seed);
    std::vector<Duration> lasts(problem.batch().kinds.size());
    std::vector<Instant> end(jobs.size(), kStart);
    std::vector<PlannedJob> planned;
    planned.reserve(jobs.size());
    while (!ready.empty()) {
        __builtin_prefetch(&end[ready.upcoming()]);
        const JobIndex job = ready.take();
        Instant after = kStart;
        jobs.for_each_need(job, [&](JobIndex need) { after = std::max(after, end[need]); });
        for (std::uint32_t kind = 0; kind < lasts.size(); ++kind) lasts[kind] = jobs.time(KindId(kind), job);

        const auto span = places.best(jobs.model(job), after, lasts);
        SY_CHECK(span.has_value(), "job {} has no place; the reader should have refused the batch", job);
        const auto offer = fleet.offer(job, *span, after);
        fleet.take(*offer);
        places.changed(*span);
        balance.job_taken();
        places.weigh(balance.weights());
        end[job] = offer->end;
        planned.push_back(*offer);
    }
    return {std::move(planned)};
}

}  // namespace sy::plan
