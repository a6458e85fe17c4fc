// Standing: a task under an order that interrupts: what it has had, what it still needs, where it stands in the list.
#pragma once

#include <compare>
#include <cstdint>

#include "core/place/floor.h"
#include "core/queue/order.h"

namespace sy::schedule {

/// Settles ties of rank. Later numbers come later.
struct Turn {
    std::int64_t major = 0;
    std::int64_t minor = 0;

    friend constexpr auto operator<=>(const Turn&, const Turn&) = default;
};

/// Where a task stood when the decision began. Within a decision the list does not change, whoever starts or stops.
enum class Origin : std::uint8_t {
    waited,
    ran,
    came,  ///< Arrived, or went to the back of another queue.
};

struct Standing {
    TaskId id;
    queue::Candidate candidate;
    DemandId demand;
    queue::Rank rank = 0;  ///< Where ranks fall while tasks run, `left` is the rank.
    bool runs = false;
    Origin origin = Origin::came;  ///< In decision `epoch`; otherwise it is plain from `runs`.
    std::uint64_t epoch = 0;

    // As of `since`, while it runs; up to date while it waits.
    Instant since;
    Duration left{};
    Duration attained{};

    Turn waiting_turn;
    Turn running_turn;
    std::uint32_t timer = 0;  ///< Alarms set under another number are void.

    std::uint64_t touched = 0;  ///< The last decision that changed it, and whether it ran before that.
    bool ran_before = false;
    bool moved = false;
    place::Seat seat;
};

/// A task in a lane, so that lanes sort without looking at tasks.
struct Standee {
    std::int64_t key = 0;  ///< Its rank; for one that runs while its rank falls, the instant it would end.
    Turn turn;
    TaskId task;

    friend constexpr auto operator<=>(const Standee&, const Standee&) = default;
};

}  // namespace sy::schedule
