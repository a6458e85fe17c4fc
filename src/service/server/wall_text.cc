#include "service/server/wall_text.h"

#include <ctime>

#include <fmt/format.h>

namespace sy::server {

std::string time_text(WallTime time) {
    const std::time_t seconds = time / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time % 1000);
}

}  // namespace sy::server
