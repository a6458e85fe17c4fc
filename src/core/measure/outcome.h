// Outcome: what became of a job under a policy.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sy::measure {

struct Outcome {
    Instant start = kNever;  ///< The first.
    Instant end = kNever;
    std::uint32_t put_aside = 0;
    std::uint32_t broken_off = 0;  ///< How often its node went away.
    Duration lost{};               ///< What it had run by then, and had to run again.
};

}  // namespace sy::measure
