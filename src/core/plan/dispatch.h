// Dispatch: one pass through virtual time that gives every GPU its next job when it falls free.
//
// A GPU stays with the model it holds while that model has a job ready, and otherwise goes where the work left for each
// holder is greatest, if that is worth the switch. Within a model the job with the longest way to the end goes first.
// What "worth" and "greatest" mean is set by a few weights, which search.h tunes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/plan.h"
#include "core/plan/problem.h"
#include "core/plan/situation.h"

namespace sy::plan {

struct DispatchWeights {
    double future = 0.3;     ///< Of work that is not ready yet, against work that is.
    double threshold = 1.0;  ///< Work for each holder, in switch times, below which a switch is not worth it.
    double urgency = 0.0;    ///< Of the longest way to the end among a model's ready jobs.
    double scarcity = 1.0;   ///< Of how few places could run a model at all; matters on mixed clusters.
    double speed = 1.0;      ///< Of how well this kind of GPU suits it, by its price (prices.h); likewise.
    double picky = 0.0;      ///< How well a kind must suit a job to run it at all: 1 on the best, less on others.
    double noise = 0.0;      ///< Share by which each judgement is blurred.
    double jitter = 0.0;     ///< Share by which each job's way to the end is blurred.
    std::uint64_t seed = 1;  ///< Of noise and jitter.
};

/// Longest way from each job's start to the end of its request, at least times.
std::vector<Duration> bottom_levels(const Jobs& jobs);

std::vector<PlannedJob> dispatch(const Problem& problem, const std::vector<Duration>& bottom_levels,
                                 const DispatchWeights& weights);

/// Plans what is left, from the present on. Jobs for which all GPUs are away are left out, and what needs them.
std::vector<PlannedJob> dispatch(const Problem& problem, const std::vector<Duration>& bottom_levels,
                                 const DispatchWeights& weights, const Situation& situation);

}  // namespace sy::plan
