// Where a job goes, as the naive twin sees it: rooms are lists of what is free, by node, and are copied freely.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/job.h"

namespace sy::naive {

/// GPUs, CPUs, host memory, network: in this order.
using Amount = std::array<std::uint64_t, 4>;
inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// What is free on a node. Where gangs must be neighbours, `slots` says which GPUs; otherwise it is empty.
struct Free {
    Amount amount{};
    std::vector<bool> slots;
};
/// By node.
using Room = std::vector<Free>;

struct Part {
    std::size_t node = 0;
    Amount amount{};
    std::size_t first = 0;  ///< Slot.

    friend bool operator==(const Part&, const Part&) = default;
};
/// All that one job holds, one part a node.
using Place = std::vector<Part>;

struct Cluster {
    Room capacity;
    std::string placement;
    std::map<std::uint64_t, std::int64_t> gangs;  ///< How many jobs of each size have arrived so far.
    std::set<std::size_t> away;                   ///< Nodes that have failed.
};

/// `count` sees a single node that has all GPUs and no other limit.
Cluster make_cluster(const std::vector<NodeSpec>& nodes, const std::string& placement, bool neighbours = false);

/// All that is there, were nobody to run.
Room available(const Cluster& cluster);

/// The place the placement chooses in this room, or nothing where the job does not fit.
std::optional<Place> find_place(const Cluster& cluster, const Room& room, const Demand& demand);

bool holds(const Room& room, const Place& place);
/// The room that is left, where a place overlaps with what is gone already: nothing.
Room without(Room room, const Place& place);
/// What is free in both.
Room least(Room a, const Room& b);

}  // namespace sy::naive
