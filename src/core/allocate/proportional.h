// Proportional: a market for many. Parties spend a budget on resources, and each resource is shared in proportion to
// what is spent on it (S6).
//
// The amounts are those of the market's equilibrium: at its prices nobody could buy itself more, and what is scarce is
// sold out. Promises, to within the accuracy of the prices: no budget is overspent, nothing scarce is idle, nobody
// prefers what another bought once it is scaled to its own budget, and nobody gets less than its budget's part of
// everything. Not strategy-proof: a false want can help. With equal budgets it is the competitive equilibrium from
// equal incomes. A party without a budget gets nothing.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class Proportional final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
};

}  // namespace sy::allocate
