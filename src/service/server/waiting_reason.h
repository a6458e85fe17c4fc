// Why a task waits, in a few words: the strongest reason first. `explain` tells all of it.
#pragma once

#include <string>

#include "core/control/core.h"

namespace sy::server {

std::string waiting_reason(const control::Explanation& why);

/// That it waits for a host that has not joined yet, and what those that have lack; empty where one of them could take
/// it.
std::string awaited_host(const control::Explanation& why);

}  // namespace sy::server
