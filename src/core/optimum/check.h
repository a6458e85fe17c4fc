// Check: whether a schedule keeps every constraint, and which it breaks first. Shares no code with what makes
// schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/optimum/model.h"

namespace sy::optimum {

enum class Rule : std::uint8_t {
    one_start_each,  ///< As many starts as items.
    after_arrival,
    before_deadline,
    within_capacity,
};
constexpr Rule last_of(Rule) {
    return Rule::within_capacity;
}

struct Breach {
    Rule rule = Rule::one_start_each;
    std::size_t item = 0;  ///< The one that breaks it; for capacity the one whose start is too much.
    std::string message;   ///< Names the item, the value and the limit.
};

/// In the order of the rules; within one, the first item, for capacity the first instant. O(n log n).
std::optional<Breach> find_breach(const Problem& problem, const Schedule& schedule);

}  // namespace sy::optimum
