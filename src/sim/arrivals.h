// Arrivals: instants at which jobs come, drawn from a point process.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "sim/recipe.h"

namespace sy::sim {

/// Where a stream of arrivals ends: whichever comes first.
struct Until {
    std::uint64_t count = 0;
    Duration span{};
};

/// Ascending, in whole milliseconds. `rate` is the mean number a second, above 0.
std::vector<Duration> draw_arrivals(Arrivals process, double rate, const Until& until, Random random);

/// Seconds as whole milliseconds, which is what a generated trace is written in.
Duration to_milliseconds(double seconds);

}  // namespace sy::sim
