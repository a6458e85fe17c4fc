// Keeper: a process of ours between us and a program that lives long. All that the program starts and leaves behind
// comes to the keeper, so that several such programs can live side by side: when the keeper has ended, nothing of its
// program is left. It ends with its program, on SIGTERM, and when we die.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "service/process/command.h"
#include "service/process/spawn.h"

namespace sy::process {

/// The keeper's process. The streams are the program's, and are closed here. The caller must have one thread only.
Result<pid_t> start_kept(const Command& command, const Streams& streams);

}  // namespace sy::process
