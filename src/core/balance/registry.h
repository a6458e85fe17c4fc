// Registry: every balancing policy by the name users type. Simulator and live service take theirs from here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/balance/policy.h"

namespace sy::balance {

/// Nothing where no policy has that name.
std::unique_ptr<Policy> make_policy(std::string_view name, const Settings& settings = {});

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> policy_names();

}  // namespace sy::balance
