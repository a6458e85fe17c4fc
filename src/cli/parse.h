// The door to the argument parser: from argv to the command that was meant, with its variables set.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace sy::cli {

/// Parses, runs and returns the exit code. Help goes to stdout, complaints to stderr.
Exit run_command_line(const std::vector<Command>& commands, std::vector<std::string> arguments);

}  // namespace sy::cli
