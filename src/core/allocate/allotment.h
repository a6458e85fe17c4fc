// Allotment: the answer of an allocation policy: what each party gets, and why no more (S6).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/allocate/amounts.h"

namespace sy::allocate {

/// What kept a party from getting more.
enum class Ceiling : std::uint8_t {
    none,       ///< It has all it wants.
    capacity,   ///< Nobody could have it: the cluster is too small.
    partition,  ///< Its own part is used up; others' parts are not for it.
    maximum,    ///< Its own maximum.
    headroom,   ///< What is left is kept for peaks.
    level,      ///< It went to levels above its own.
    share,      ///< Others have the same claim to what it lacks.
    price,      ///< Others' bids are worth more.
    budget,     ///< At these prices its budget buys no more.
};

constexpr std::string_view describe(Ceiling ceiling) {
    switch (ceiling) {
        case Ceiling::none: return "has all it wants";
        case Ceiling::capacity: return "the cluster is too small";
        case Ceiling::partition: return "its partition is used up";
        case Ceiling::maximum: return "reached its maximum";
        case Ceiling::headroom: return "the rest is kept for peaks";
        case Ceiling::level: return "higher levels go first";
        case Ceiling::share: return "has its fair share";
        case Ceiling::price: return "other bids are worth more";
        case Ceiling::budget: break;
    }
    return "its budget buys no more";
}

struct Portion {
    Amounts amounts;
    std::int64_t tasks = 0;  ///< Whole tasks that fit into it.
    Ceiling ceiling = Ceiling::none;
    std::optional<Resource> scarce;  ///< The resource it met the ceiling in, where it wants more.
    std::int64_t payment = 0;        ///< Whole money; in the markets only.
};

struct Allotment {
    std::vector<Portion> portions;  ///< In the order of the parties.

    Amounts total() const {
        Amounts sum;
        for (const Portion& portion : portions) sum += portion.amounts;
        return sum;
    }
};

}  // namespace sy::allocate
