// Task rules: what the configuration adds to a submission and the bounds it sets. They count when a task comes in; one
// that was accepted under other rules is kept.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/time.h"
#include "service/server/engine.h"

namespace sy::server {

struct TaskRules {
    Duration default_timeout = 1h;
    Duration max_timeout = 24h;
    std::uint32_t max_retries = 100;
    process::Limits limits;    ///< Of a command that says none.
    bool run_as_user = false;  ///< Whoever hands a command in must have an account here.
};

/// `json` is what the submission was read from: what it does not say gets the default.
Result<Submission> under_rules(Submission submission, const nlohmann::ordered_json& json, const TaskRules& rules);

/// Once its user is known: whether a command can run as them. Root must have been named.
Result<void> settle_account(Submission& submission, const nlohmann::ordered_json& json, const TaskRules& rules);

}  // namespace sy::server
