// Genetic search (S9): a population of genes, the better ones passing on most of theirs. A method of `search`.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

/// Anytime and monotone; the same for the same seed.
Draft by_genes(const Problem& problem, const PlanOptions& options);

}  // namespace sy::plan
