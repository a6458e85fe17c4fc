// Processor time: what a process and all below it have used, as the kernel counts it (to a hundredth of a second).
#pragma once

#include <sys/types.h>

namespace sy::bench {

/// Seconds, those included that have ended and were waited for. 0 where there is no such process.
double tree_seconds(pid_t root);

/// Seconds of this process.
double own_seconds();

}  // namespace sy::bench
