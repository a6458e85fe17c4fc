#include "cli/commands.h"

namespace sy::cli {

std::vector<Command> all_commands() {
    return {allocate_command(), audit_command(),    cancel_command(),  completion_command(), config_command(),
            convert_command(),  dead_command(),     doctor_command(),  drill_command(),      explain_command(),
            generate_command(), gpus_command(),     hosts_command(),   layers_command(),     logs_command(),
            models_command(),   move_command(),     optimum_command(), plan_command(),       pretended_model_command(),
            ps_command(),       queue_command(),    requeue_command(), run_command(),        serve_command(),
            show_command(),     simulate_command(), submit_command(),  token_command(),      top_command(),
            validate_command(), verify_command(),   version_command(), worker_command()};
}

}  // namespace sy::cli
