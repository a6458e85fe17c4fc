// Tasks as clients write and read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "service/server/engine.h"

namespace sy::server {

/// In one word; of a task that waits it says what for.
std::string state_text(const TaskRecord& record, const Task* live);

/// What `POST /api/v1/tasks` takes. An error names the field, its value and the rule.
Result<Submission> read_submission(const nlohmann::ordered_json& json);

/// What a task may matter; nothing where it is no such word.
std::optional<Level> level_named(std::string_view name);

/// Everything known of a task. `live`: as the brain has it, where it has not ended.
nlohmann::ordered_json task_json(TaskId id, const TaskRecord& record, const Task* live);

}  // namespace sy::server
