// DRF: dominant-resource fairness for parties that need several resources in fixed proportions, by weight and in a tree
// of groups (S6).
//
// `drf` divides freely and promises, to within a unit of each resource: nobody can get more without another getting
// less, nobody does worse than with its weighted part of everything, nobody envies another's amounts scaled by weight,
// and a false want never helps; these four are for parties without groups. In a tree: nobody starves, and what a group
// gets does not depend on how many users it is split into. Across groups no freedom from envy is promised.
//
// `drf-whole` hands out whole tasks. It keeps Pareto efficiency and the whole part of everybody's weighted share. A
// false want can help there: no policy for whole tasks keeps all of it.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

/// More take too long: the filling is quadratic.
inline constexpr std::size_t kMostInDrf = 4'096;

class Drf final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
    bool knows_groups() const override { return true; }
};

class DrfWhole final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
    bool knows_groups() const override { return true; }
};

}  // namespace sy::allocate
