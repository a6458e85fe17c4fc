// Problem: how long to stay with a model, and how much to look ahead, depends on the batch: no fixed weights are good
// for all. Choice: one dispatch pass costs milliseconds, so try many. A small grid first, then steps away from the best
// weights so far, near ones more often, with noise in single decisions to get at orders that no weights give. The
// budget is a number of passes, which makes a run repeatable, and whatever `keep_going` says, which lets a clock end
// it; the first pass always runs.
//
// Still to come: moves on the plan itself (insert, swap, whole runs of a model), and `exact` on small pieces.
#include "core/plan/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "core/plan/dispatch.h"

namespace sy::plan {

namespace {

Instant end_of(const std::vector<PlannedJob>& jobs) {
    Instant last = kStart;
    for (const PlannedJob& job : jobs) last = std::max(last, job.end);
    return last;
}

std::vector<DispatchWeights> grid() {
    std::vector<DispatchWeights> all;
    for (const double future : {0.3, 0.0, 1.0})
        for (const double threshold : {1.0, 0.3, 3.0})
            for (const double urgency : {0.0, 0.3, 3.0})
                all.push_back({.future = future, .threshold = threshold, .urgency = urgency});
    return all;
}

/// A step away from the best so far.
DispatchWeights near(DispatchWeights weights, Random& random) {
    const auto shaken = [&](double value, double least) {
        return std::max(value, least) * std::exp((random.uniform() - 0.5) * 2);
    };
    if (random.chance(0.5)) weights.future = random.chance(0.1) ? 0 : shaken(weights.future, 0.02);
    if (random.chance(0.5)) weights.threshold = random.chance(0.1) ? 0 : shaken(weights.threshold, 0.05);
    if (random.chance(0.5)) weights.urgency = random.chance(0.2) ? 0 : shaken(weights.urgency, 0.02);
    if (random.chance(0.3)) weights.scarcity = random.chance(0.2) ? 0 : shaken(weights.scarcity, 0.1);
    if (random.chance(0.3)) weights.speed = random.chance(0.2) ? 0 : shaken(weights.speed, 0.1);
    weights.noise = random.chance(0.3) ? 0 : random.uniform() * random.uniform();
    weights.jitter = random.chance(0.4) ? 0 : random.uniform() * random.uniform();
    weights.seed = random.next();
    return weights;
}

}  // namespace

Draft Search::plan(const Problem& problem, const PlanOptions& options) const {
    const auto levels = bottom_levels(problem.jobs());
    Random random(options.seed);
    const auto first = grid();
    DispatchWeights best_weights;
    std::vector<PlannedJob> best;
    for (std::uint64_t pass = 0; pass == 0 || (pass < options.passes && options.keep_going()); ++pass) {
        const DispatchWeights weights = pass < first.size() ? first[pass] : near(best_weights, random);
        auto jobs = dispatch(problem, levels, weights);
        if (pass > 0 && end_of(jobs) >= end_of(best)) continue;
        best = std::move(jobs);
        best_weights = weights;
        options.improved(end_of(best) - kStart);
        if (end_of(best) - kStart <= options.good_enough) break;
    }
    return {std::move(best)};
}

}  // namespace sy::plan
