// Children: the processes whose parent we are, those that others left to us too.
#pragma once

#include <vector>

#include <sys/types.h>

namespace sy::process {

/// All there are on this machine.
std::vector<pid_t> everybody();

std::vector<pid_t> children();

}  // namespace sy::process
