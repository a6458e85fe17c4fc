// Every command there is. To add one: write its file, declare it here, add it to the list in commands.cc.
#pragma once

#include <vector>

#include "cli/command.h"

namespace sy::cli {

Command completion_command();
Command convert_command();
Command doctor_command();
Command drill_command();
Command generate_command();
Command optimum_command();
Command plan_command();
Command simulate_command();
Command validate_command();
Command verify_command();
Command version_command();

/// In alphabetical order.
std::vector<Command> all_commands();

}  // namespace sy::cli
