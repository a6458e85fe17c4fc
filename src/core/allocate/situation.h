// Situation: what there is to share, and who wants how much of it: the question every allocation policy answers (S6).
//
// A party is whoever has a claim of its own: a team, a user, a service, in the auction a single task. Each policy reads
// the fields it is about and leaves the others alone; which those are stands beside each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/allocate/amounts.h"
#include "core/model/task.h"

namespace sy::allocate {

inline constexpr std::size_t kMostParties = 100'000;
inline constexpr std::int64_t kMostWeight = 1'000'000;
inline constexpr std::int64_t kMostBid = 1'000'000'000'000;

/// An organisation: what it gets is shared among the groups and parties in it. For `drf` and `drf-whole`.
struct Group {
    std::string name;
    std::int64_t weight = 1;  ///< Against its siblings, parties and groups alike.
    std::optional<std::size_t>
        parent;  ///< Its place in the list of groups, before this one; nothing: the whole cluster.
};

struct Party {
    std::string name;
    Amounts task;                 ///< What one of its tasks takes.
    std::int64_t tasks = 1;       ///< How many it could run now. Only the auction and `drf-whole` keep them whole.
    std::int64_t weight = 1;      ///< For all but static, auction and proportional.
    Level level = Level::normal;  ///< For priority.
    Amounts minimum;              ///< Guaranteed. For elastic, which holds it ready, and priority.
    Amounts maximum = each(kMostAmount);  ///< For elastic.
    Amounts partition;                    ///< Its fixed part. For static.
    Amounts holds;                        ///< Its share until now. For elastic.
    std::int64_t bid = 0;  ///< Whole money. What all it wants is worth to it (auction), or its budget (proportional).
    std::optional<std::size_t> group;  ///< Its place in the list of groups.

    /// What it could use now, all told.
    Amounts want() const { return task * tasks; }
};

/// How `elastic` follows the need. All in percent.
struct Elasticity {
    std::int64_t headroom = 10;      ///< Of the capacity: kept free for peaks.
    std::int64_t margin = 25;        ///< Beyond the need: what a share that changes is given on top.
    std::int64_t shrink_below = 60;  ///< Of the share: a need that is still above this leaves the share as it is.
};

struct Situation {
    Amounts capacity;
    std::vector<Party> parties;
    std::vector<Group> groups;
    Elasticity elasticity;
};

/// Nothing where every figure is within its limits, names are unique and groups form a tree.
std::optional<Error> find_fault(const Situation& situation);

}  // namespace sy::allocate
