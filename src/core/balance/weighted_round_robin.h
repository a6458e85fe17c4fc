// Weighted round robin (S7): after any number of picks each replica has had its exact share, rounded up or down.
//
// Let w be a replica's weight and W the sum of all. Among the first t picks it has floor(t w / W) or ceil(t w / W), for
// every t, and in any W picks in a row exactly w. That holds from the first pick on while nothing changes. When weights
// or health change, each replica keeps the fraction of a pick it is owed or ahead, so those who flap starve nobody.
#pragma once

#include <vector>

#include "core/balance/policy.h"

namespace sy::balance {

class WeightedRoundRobin final : public Policy {
public:
    explicit WeightedRoundRobin(const Settings& /*settings*/) {}

    Slot pick(const Fleet& fleet, const Request& request) override;

private:
    /// Where a replica stands. Owed to it at pick t: ((t - base) * weight + credit) / total - served.
    struct Turn {
        std::uint64_t stay = 0;
        std::int64_t weight = 0;
        std::int64_t credit = 0;  ///< In parts of one pick, of which there are `total_`.
        std::int64_t base = 0;  ///< Moves on by total_ whenever `served` reaches `weight`, so that products stay small.
        std::int64_t served = 0;
        ReplicaId id;
    };
    struct Due {
        std::int64_t when = 0;
        ReplicaId id;
        Slot slot = 0;

        bool operator>(const Due& other) const { return when != other.when ? when > other.when : id > other.id; }
    };

    void refresh(const Fleet& fleet);
    void carry_credit_over(const Fleet& fleet);
    void level_credit(const Fleet& fleet);
    std::int64_t release(const Turn& turn) const;
    std::int64_t deadline(const Turn& turn) const;
    void queue_up(Slot slot);

    std::vector<Turn> turns_;   ///< By slot.
    std::vector<Due> waiting_;  ///< A heap: the next release first.
    std::vector<Due> ready_;    ///< A heap: the next deadline first.
    std::int64_t total_ = 1;
    std::int64_t now_ = 0;  ///< Picks since the last change.
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
