// Host: what this machine has that Switchyard can use. Only looks; installs and changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"

namespace sy::host {

unsigned core_count();
Bytes memory_total();
/// How many files one process may have open.
std::uint64_t open_file_limit();
/// Room left for files in this folder.
Bytes room_in(const std::string& folder);
/// Where a program lies, searched as the shell does.
std::optional<std::string> find_program(const std::string& name);
/// Whether the loader finds this library.
bool has_library(const std::string& name);
/// Whether a Redis answers PING on this machine's loopback, waiting at most a fifth of a second.
bool redis_answers(std::uint16_t port);
/// Whether control groups are mounted in their second version.
bool has_cgroup2();

}  // namespace sy::host
