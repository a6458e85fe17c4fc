// Elastic: shares that follow the need between a minimum and a maximum, with headroom for peaks (S6).
//
// Called again whenever needs have changed, with the shares until now in `holds`. Promises: a share is never below its
// party's minimum and never above its maximum; the headroom stays free unless the minima need it; and asked again with
// the same needs it changes nothing. It does not take anything away from running tasks: a share that shrinks says how
// much its party may hold, and who gives back is another's decision.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class Elastic final : public Policy {
    Result<Allotment> divide(const Situation& situation) const override;
};

/// What is to stay free for peaks.
Amounts headroom_of(const Situation& situation);

/// What a party in a peak may take beyond its share at once, before shares are settled anew: from what is left of the
/// headroom, and never past its maximum.
Amounts lend(const Party& party, const Amounts& share, const Amounts& headroom_left);

}  // namespace sy::allocate
