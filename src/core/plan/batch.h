// Strategy `batch` (P3): nodes of one model and level together, batch by batch to the GPU that can begin it soonest.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

class BatchByModel final : public Strategy {
public:
    Draft plan(const Problem& problem, const PlanOptions& options) const override;
};

}  // namespace sy::plan
