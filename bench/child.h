// Child: another program run to its end, and how much memory it had at its peak.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sy::bench {

/// The switchyard that was built next to this program.
std::string switchyard_path();

/// Its output is thrown away. Nothing where it cannot be run or does not end well.
std::optional<std::uint64_t> peak_bytes(const std::vector<std::string>& command);

}  // namespace sy::bench
