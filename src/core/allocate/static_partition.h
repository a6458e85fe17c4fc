// Static: everybody has a fixed part of the cluster, and what one does not use stays unused (S6).
//
// Promises: nothing that others do changes what a party gets. So a false want never helps, and nobody starves who has a
// part. It wastes what is not used: that is its price.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class StaticPartition final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
};

}  // namespace sy::allocate
