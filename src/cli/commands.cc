#include "cli/commands.h"

namespace sy::cli {

std::vector<Command> all_commands() {
    return {completion_command(), convert_command(), doctor_command(), drill_command(),
            generate_command(),   optimum_command(), plan_command(),   simulate_command(),
            validate_command(),   verify_command(),  version_command()};
}

}  // namespace sy::cli
