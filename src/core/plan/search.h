// Strategy `search`: many dispatch passes with other weights, the shortest plan wins. Anytime and monotone.
#pragma once

#include "core/plan/strategy.h"

namespace sy::plan {

class Search final : public Strategy {
public:
    Draft plan(const Problem& problem, const PlanOptions& options) const override;
};

}  // namespace sy::plan
