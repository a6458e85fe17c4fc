// Children: the processes whose parent we are, those that others left to us too.
#pragma once

#include <vector>

#include <sys/types.h>

namespace sy::process {

std::vector<pid_t> children();

}  // namespace sy::process
