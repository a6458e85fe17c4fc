// Conservative backfill (Feitelson): everybody in line gets a reservation, each as early as those before it allow. A
// task may overtake only where it delays nobody. Reservations are made anew at each decision, so a task that ends early
// helps everybody.
#pragma once

#include "core/schedule/fit.h"

namespace sy::schedule {

class Conservative final : public Fit {
public:
    void fill(Desk& desk, Instant now) const override;
};

}  // namespace sy::schedule
