// Registry: every placement by the name users type.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/place/placement.h"

namespace sy::place {

/// Nothing where no placement has that name.
std::unique_ptr<Placement> make_placement(std::string_view name);

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> placement_names();

}  // namespace sy::place
