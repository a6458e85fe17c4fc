// Round robin (S7): the next available replica by id, and after the last the first. Weights do not count.
//
// Whoever joins, returns or leaves changes nobody else's turn: the next is the one whose id follows the last pick's.
#pragma once

#include <optional>

#include "core/balance/policy.h"

namespace sy::balance {

class RoundRobin final : public Policy {
public:
    explicit RoundRobin(const Settings& /*settings*/) {}

    Slot pick(const Fleet& fleet, const Request& request) override;

private:
    std::optional<ReplicaId> last_;
    std::size_t next_ = 0;  ///< In fleet.available(), as long as its version is `seen_`.
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
