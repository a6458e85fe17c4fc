// DRF: dominant-resource fairness for parties that need several resources in fixed proportions, by weight and in a tree
// of groups (S6).
//
// `drf` divides freely and promises, to within a unit of each resource and for parties without groups: nobody can get
// more without another getting less, nobody does worse than with its weighted part of everything, nobody envies
// another's amounts scaled by weight, and a false want never helps. In a tree the first two hold with the weights down
// the tree, so nobody starves; siblings do not envy each other; and what a group gets does not depend on how many users
// with the same kind of task it is split into. A false want can help a little there, and envy across groups is
// possible.
//
// `drf-whole` hands out whole tasks. It leaves no room for another task and gives everybody the whole part of its
// weighted share; where that is less than one task it may be none. A false want can help, and envy is possible.
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
