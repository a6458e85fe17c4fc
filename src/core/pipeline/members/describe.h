// Describe: what stands in the way of a request, in words.
#pragma once

#include <string>

#include "core/pipeline/route/route.h"

namespace sy::pipeline {

/// "nobody serves layers 0 to 11", both included.
std::string describe(const NoRoute& obstacle);

}  // namespace sy::pipeline
