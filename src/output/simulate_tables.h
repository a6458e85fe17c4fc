// The tables of the simulation's page: what each order came to, and what its users had of it.
#pragma once

#include <span>
#include <string>

#include "core/measure/study.h"

namespace sy::output {

/// A row for each order, the best of each column marked.
std::string comparison_html(std::span<const measure::Study> studies);

/// The users with the most GPU-time, a column for each order; empty where there are not two to compare.
std::string users_html(std::span<const measure::Study> studies);

/// How far the mean completion time lies above the lower bound, as "31 %"; "–" where there is no bound.
std::string above_bound_text(const measure::Study& study);

}  // namespace sy::output
