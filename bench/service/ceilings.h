// Ceilings: what this machine can do at most, measured in the same round as what we do with it.
#pragma once

#include <string>

namespace sy::bench {

/// The median time of a small write made durable, alone, in microseconds.
double fdatasync_p50_us(const std::string& folder, int writes);

/// How many /bin/true a second, two at a time, each with a log file of its own for what it writes.
double fork_exec_per_s(const std::string& folder, int programs);

}  // namespace sy::bench
