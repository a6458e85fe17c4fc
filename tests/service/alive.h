// Whether a process still runs; what waits to be collected does not.
#pragma once

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/types.h>

namespace sy::service_test {

inline bool is_alive(pid_t pid) {
    std::ifstream stat(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(stat, text);
    const std::size_t bracket = text.rfind(')');
    return bracket != std::string::npos && text[bracket + 2] != 'Z';
}

}  // namespace sy::service_test
