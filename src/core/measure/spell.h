// Spell: a job at work on neighbouring lanes of a chart, from a start to the next stop. A lane is a GPU of the cluster,
// counted through its nodes.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sy::measure {

struct Spell {
    std::uint32_t job = 0;
    std::uint32_t lane = 0;   ///< The first of them.
    std::uint32_t lanes = 1;  ///< How many; a job that lies apart has several spells.
    Instant start;
    Instant end = kNever;

    friend bool operator==(const Spell&, const Spell&) = default;
};

}  // namespace sy::measure
