// What `simulate` prints: the policies side by side, as a table or as one JSON document.
#pragma once

#include <span>
#include <string>

#include "core/measure/study.h"

namespace sy::cli {

std::string simulate_table(std::span<const measure::Study> studies);
std::string simulate_json(std::span<const measure::Study> studies);

}  // namespace sy::cli
