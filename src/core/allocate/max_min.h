// Max-min: every resource by itself to those who want it, as evenly by weight as their wants allow (S6).
//
// Promises, for each resource taken alone and in whole units: nothing is idle that somebody wants, nobody gets less
// than its weighted part of the capacity unless it wants less, nobody envies another by more than a unit, and a false
// want never helps. Across resources it promises none of this: it may give GPUs to a party that lacks the memory to use
// them. That is what drf is for.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class MaxMin final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
};

}  // namespace sy::allocate
