// Left files: what tasks leave in the service's folder: the output of their attempts, and their checkpoints.
#pragma once

#include <cstddef>
#include <string>

#include "base/ids.h"

namespace sy::server {

/// What a command wrote to its standard output, up to what a model may answer.
std::string written_by(const std::string& folder, TaskId task, std::size_t attempt);

/// To their tasks' checkpoints, and to nothing else: all that is ours in the folder is closed, then the way is opened.
void let_users_through(const std::string& folder);

void remove_left_files(const std::string& folder, TaskId task, std::size_t attempts);

}  // namespace sy::server
