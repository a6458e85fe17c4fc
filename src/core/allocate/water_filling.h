// Water filling: one resource in whole units to claims of different weight, as evenly as their wants allow.
#pragma once

#include <cstdint>
#include <vector>

namespace sy::allocate {

struct Claim {
    std::int64_t want = 0;
    std::int64_t weight = 1;
    std::int64_t floor = 0;  ///< Given before all else; at most `want`.
};

/// What each claim gets: never more than its want, together the capacity or all wants, whichever is less. The floors
/// must fit into the capacity.
std::vector<std::int64_t> fill(std::int64_t capacity, const std::vector<Claim>& claims);

}  // namespace sy::allocate
