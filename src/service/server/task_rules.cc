#include "service/server/task_rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/process/account.h"

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
    if (!submission.work.model.empty()) return submission;
    for (const process::LimitKind& kind : process::kLimitKinds)
        if (auto& limit = submission.work.limits.*kind.member; !limit) limit = rules.limits.*kind.member;
    return submission;
}

Result<void> settle_account(Submission& submission, const nlohmann::ordered_json& json, const TaskRules& rules) {
    if (!rules.run_as_user || !submission.work.model.empty()) return {};
    const auto account = process::find_account(submission.user);
    if (!account)
        return fail(Fault::invalid_input, fmt::format("user is '{}': {}, and commands run as their user (run_as_user)",
                                                      submission.user, account.error().message));
    if (account->uid != 0) return {};
    if (!json.contains("user"))
        return fail(Fault::invalid_input,
                    fmt::format("commands run as their user, and yours is {}: say it in `user` if "
                                "this one is to run as root",
                                submission.user));
    submission.work.may_be_root = true;
    return {};
}

}  // namespace sy::server
