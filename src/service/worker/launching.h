// Launching: the command that a launch becomes, with all that its process is told through its environment.
#pragma once

#include "core/agent/agent.h"
#include "service/process/command.h"
#include "service/process/marked.h"
#include "service/wire/messages.h"
#include "service/worker/worker.h"

namespace sy::worker {

/// By which what runs on this worker's GPU can be found.
process::Mark mark_of(const Options& options);

/// Of a command itself; of a model, its runner.
process::Command command_of(const wire::Work& work, const agent::Launch& launch, const Options& options);

}  // namespace sy::worker
