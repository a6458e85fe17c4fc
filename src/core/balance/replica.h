// Replica: one of several that can serve the same requests, and what a request and its ticket look like.
//
// A replica's weight is what its operator gave it, its share how much of that it may use now: 0 while it is unhealthy,
// all of it while it is well, something between while it warms up. The product is its pull, which is all a policy
// heeds.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"

namespace sy::balance {

using ReplicaId = Id<struct ReplicaTag, std::uint32_t>;
/// A replica's place in the fleet's table while it stays. Reused after it left.
using Slot = std::uint32_t;

inline constexpr std::uint32_t kMostReplicas = 10'000;
inline constexpr std::uint32_t kLargestWeight = 10'000;
inline constexpr std::uint32_t kFullShare = 1'000;
/// A larger request counts as this large.
inline constexpr std::uint64_t kLargestSize = 0xffff'ffffU;

struct Replica {
    ReplicaId id;
    std::uint32_t weight = 1;          ///< 0: it gets nothing new, and what it has may finish.
    std::uint32_t share = kFullShare;  ///< Of its weight, in thousandths. 0: unhealthy.
    std::uint64_t stay = 0;            ///< Which of all joins ever this is, from 1 on. 0: the slot is empty.
    std::uint64_t in_flight = 0;       ///< Requests picked and not finished.
    std::uint64_t work = 0;            ///< Their sizes in sum.

    bool present() const { return stay != 0; }
    bool healthy() const { return share > 0; }
    std::uint64_t pull() const { return present() ? std::uint64_t{weight} * share : 0; }
    bool available() const { return pull() > 0; }
};

/// What a policy may know of a request.
struct Request {
    std::uint64_t key = 0;  ///< Whence it comes: client, session, user. Equal keys want equal replicas.
    /// Each stands for the prompt from its beginning to the end of one block (prefix_blocks.h).
    std::span<const std::uint64_t> prefix = {};
    std::uint64_t size = 1;  ///< Its work in any one unit, such as tokens.
};

/// What a pick gave, to be handed back when the request is over.
struct Ticket {
    ReplicaId replica;
    Slot slot = 0;
    std::uint64_t stay = 0;
    std::uint64_t size = 0;

    friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// Why nobody can be picked now.
enum class Absence {
    no_replica,    ///< None has joined.
    none_healthy,  ///< All that are here are unhealthy.
    all_drained,   ///< The healthy ones all have weight 0.
};

}  // namespace sy::balance
