// Why a task waits, in a few words: the strongest reason first. `explain` tells all of it.
#pragma once

#include <string>

#include "core/control/core.h"

namespace sy::server {

std::string waiting_reason(const control::Explanation& why);

}  // namespace sy::server
