// Changes as watchers read them.
#pragma once

#include <string>

#include "service/server/change.h"

namespace sy::server {

/// Which kind of change it is: task, worker, queue or disk.
const char* kind_of(const Change& change);
/// One line of JSON.
std::string json_of(const Change& change);

}  // namespace sy::server
