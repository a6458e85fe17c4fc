// Score: how good a predictor is on a trace.
//
// The trace is replayed on a cluster without end: every job starts when it comes, so it ends at submit + length, and
// only then does the predictor learn of it. Each job is predicted as it comes, from what has ended by that instant.
#pragma once

#include <cstddef>

#include "core/estimate/run_time.h"
#include "core/model/job.h"

namespace sy::estimate {

/// Errors are |ln(predicted / actual)|: 0.69 is a factor of two, either way.
struct PredictionScore {
    std::size_t jobs = 0;
    double median_error = 0;
    double mean_error = 0;
    double within_twice = 0;  ///< The share of jobs predicted to within a factor of two.
    /// Spearman's, of predicted and actual GPU time: what an order by it needs. 0 is chance, 1 the right order.
    double rank_correlation = 0;
};

/// Teaches the predictor the trace. All zero where the trace is empty.
PredictionScore score(const Trace& trace, RunTime& predictor);

}  // namespace sy::estimate
