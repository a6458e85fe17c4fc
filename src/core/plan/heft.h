// Strategy `heft` (S9): jobs by the longest expected way to the end, each to where it is over soonest, idle stretches
// between jobs included. After Topcuoglu, Hariri and Wu, with model switches in place of transfers.
#pragma once

#include <vector>

#include "core/plan/strategy.h"

namespace sy::plan {

class Heft final : public Strategy {
public:
    Draft plan(const Problem& problem, const PlanOptions& options) const override;
};

/// Upward rank of every job: its own mean time and the longest way behind it, with expected switches.
std::vector<Duration> upward_ranks(const Problem& problem);

/// In order of rank, each into an opening or behind all else (openings.h).
std::vector<PlannedJob> insert_by_rank(const Problem& problem);
/// In order of rank, each behind all else (soonest.h): what `heft` does on very large batches.
std::vector<PlannedJob> append_by_rank(const Problem& problem);

}  // namespace sy::plan
