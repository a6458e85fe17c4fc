// The time for people, which may jump.
#pragma once

#include <chrono>

#include "service/server/record.h"

namespace sy::server {

inline WallTime wall_now() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace sy::server
