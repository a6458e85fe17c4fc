// List schedules: jobs in some order, each as soon as it fits (S9). Fast, and for some problems proven to be near the
// best.
//
// Deadlines are not looked at: a list schedule may break them, and find_breach() tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/optimum/model.h"

namespace sy::optimum {

enum class ListOrder : std::uint8_t {
    arrival,       ///< FCFS
    shortest,      ///< SPT
    longest,       ///< LPT
    weighted,      ///< WSPT, Smith's rule: largest weight / length
    due,           ///< EDF: by the sooner of due date and deadline
    smith_volume,  ///< Largest weight / (length × share of the scarcest resource)
};
constexpr ListOrder last_of(ListOrder) {
    return ListOrder::smith_volume;
}

std::string_view name_of(ListOrder order);

/// Items in that order; equal ones by number.
std::vector<std::size_t> in_order(const Problem& problem, ListOrder order);

/// Greedy: at every instant each job that has arrived and fits starts, those earlier in the list first. All items must
/// fit the capacity.
Schedule greedy_schedule(const Problem& problem, const std::vector<std::size_t>& list);
/// One after the other, each at the first instant with room, also before others of the list. Some list gives the
/// optimum.
Schedule serial_schedule(const Problem& problem, const std::vector<std::size_t>& list);

struct Factor {
    double factor = 1;
    std::string_view source;
};
/// How far greedy_schedule() in this order can be from the optimum of this problem, where a theorem tells.
std::optional<Factor> proven_factor(const Problem& problem, ListOrder order);

/// The cheapest schedule of both kinds over all orders that breaks no constraint.
std::optional<Schedule> best_list_schedule(const Problem& problem);

}  // namespace sy::optimum
