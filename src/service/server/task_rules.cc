#include "service/server/task_rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::server {

Result<Submission> under_rules(Submission submission, const nlohmann::ordered_json& json, const TaskRules& rules) {
    TaskSpec& spec = submission.spec;
    if (!json.contains("timeout_s")) spec.timeout = rules.default_timeout;
    if (spec.timeout > rules.max_timeout)
        return fail(Fault::invalid_input, fmt::format("timeout_s is {}, the most here is {} (max_task_timeout_seconds)",
                                                      to_seconds(spec.timeout), to_seconds(rules.max_timeout)));
    if (spec.retries > rules.max_retries)
        return fail(Fault::invalid_input,
                    fmt::format("retries is {}, the most here is {} (max_retries)", spec.retries, rules.max_retries));
    return submission;
}

}  // namespace sy::server
