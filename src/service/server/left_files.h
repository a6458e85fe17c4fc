// Left files: what a task leaves in the service's folder: the output of its attempts, and its checkpoint.
#pragma once

#include <cstddef>
#include <string>

#include "base/ids.h"

namespace sy::server {

/// What a command wrote to its standard output, up to what a model may answer.
std::string written_by(const std::string& folder, TaskId task, std::size_t attempt);

void remove_left_files(const std::string& folder, TaskId task, std::size_t attempts);

}  // namespace sy::server
