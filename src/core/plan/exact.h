// Strategy `exact`: a shortest plan, and the proof that it is one. For small batches.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

class Exact final : public Strategy {
public:
    Draft plan(const Problem& problem, const PlanOptions& options) const override;
};

}  // namespace sy::plan
