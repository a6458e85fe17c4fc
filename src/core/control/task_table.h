// TaskTable: the tasks that have been accepted and have not ended, by id.
#pragma once

#include "core/model/by_task.h"
#include "core/model/task.h"

namespace sy::control {

using TaskTable = ByTask<Task>;

}  // namespace sy::control
