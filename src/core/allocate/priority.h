// Priority: higher levels first, max-min within a level, each resource by itself (S6).
//
// Promises: no party lacks what a lower level was given beyond its guaranteed minima, everybody gets its minimum as far
// as it wants it, and a false want never helps. Without a minimum a low level can starve: the minimum is there for
// that.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class Priority final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
};

}  // namespace sy::allocate
