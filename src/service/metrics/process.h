// Process: what this process has used of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace sy::metrics {

double cpu_seconds();
std::uint64_t resident_bytes();
/// 0 where there is no such file.
std::uint64_t file_bytes(const std::string& path);

}  // namespace sy::metrics
