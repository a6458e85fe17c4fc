// Wall time as people read it: 2026-01-31T12:00:00.000Z.
#pragma once

#include <string>

#include "service/server/record.h"

namespace sy::server {

std::string time_text(WallTime time);

}  // namespace sy::server
