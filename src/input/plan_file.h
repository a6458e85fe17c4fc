// Plan file: reads a PLAN.json back, whoever wrote it, for checking against its batch.
#pragma once

#include "base/result.h"
#include "core/model/batch.h"
#include "core/model/plan.h"
#include "input/document.h"

namespace sy::input {

/// Only the tasks are taken, and the makespan, where it is stated, must be theirs; other figures are for people.
Result<Plan> read_plan(const Document& document, const Batch& batch);

}  // namespace sy::input
