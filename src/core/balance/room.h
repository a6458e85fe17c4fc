// Room: whether a replica may take one more under the bound of (1 + epsilon) times its fair part.
//
// A replica with part p of all pull may hold up to ceil((1 + epsilon) p L), where L is the load of all available
// replicas, the new request included. Somebody always has room, whatever epsilon is: loads before the request sum up to
// less than L, so one of them is below its fair part. Loads are counts, or sizes: then the one request that fills a
// replica may reach beyond the bound by less than its own size.
#pragma once

#include "base/wide.h"
#include "core/balance/fleet.h"

namespace sy::balance {

class Room {
public:
    /// `total_load` includes the new request.
    Room(std::uint64_t total_load, std::uint64_t total_pull, std::uint32_t epsilon)
        : allowed_(UnsignedWide{total_load} * (1'000 + std::uint64_t{epsilon})),
          unit_(UnsignedWide{total_pull} * 1'000) {}

    /// load < (1 + epsilon) total_load pull / total_pull, which for whole loads means: load + 1 is at most its ceiling.
    bool has(std::uint64_t load, std::uint64_t pull) const { return unit_ * load < allowed_ * pull; }

private:
    UnsignedWide allowed_;
    UnsignedWide unit_;
};

}  // namespace sy::balance
