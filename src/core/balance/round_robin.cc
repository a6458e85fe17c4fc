#include "core/balance/round_robin.h"

#include <algorithm>

namespace sy::balance {

Slot RoundRobin::pick(const Fleet& fleet, const Request& /*request*/) {
    const auto& available = fleet.available();
    if (seen_ != fleet.version()) {
        seen_ = fleet.version();
        const auto turn = std::partition_point(available.begin(), available.end(),
                                               [&](Slot slot) { return last_ && fleet.at(slot).id <= *last_; });
        next_ = static_cast<std::size_t>(turn - available.begin());
    }
    if (next_ >= available.size()) next_ = 0;
    const Slot slot = available[next_++];
    last_ = fleet.at(slot).id;
    return slot;
}

}  // namespace sy::balance
