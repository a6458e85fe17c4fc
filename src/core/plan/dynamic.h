// Strategy `dynamic` (P4, P6): one node at a time, each to the GPU of least completion plus a tenth of its busy time,
// or another share of it (P7).
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

class Dynamic final : public Strategy {
public:
    Draft plan(const Problem& problem, const PlanOptions& options) const override;
};

}  // namespace sy::plan
