// Every command there is. To add one: write its file, declare it here, add it to the list in commands.cc.
#pragma once

#include <vector>

#include "cli/command.h"

namespace sy::cli {

Command allocate_command();
Command audit_command();
Command cancel_command();
Command completion_command();
Command config_command();
Command convert_command();
Command dead_command();
Command doctor_command();
Command drill_command();
Command explain_command();
Command generate_command();
Command gpus_command();
Command hosts_command();
Command layers_command();
Command logs_command();
Command models_command();
Command move_command();
Command optimum_command();
Command plan_command();
Command pretended_model_command();
Command ps_command();
Command queue_command();
Command requeue_command();
Command run_command();
Command serve_command();
Command show_command();
Command simulate_command();
Command submit_command();
Command token_command();
Command top_command();
Command validate_command();
Command verify_command();
Command version_command();
Command worker_command();

/// In alphabetical order.
std::vector<Command> all_commands();

}  // namespace sy::cli
