// Amounts: times and sizes as files write them, in seconds and gigabytes, read exactly.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "base/units.h"
#include "input/reading.h"

namespace sy::input {

inline constexpr std::uint64_t kMostSeconds = 3'153'600'000;  ///< A hundred years.
inline constexpr std::uint64_t kMostGb = 1'000'000;
inline constexpr double kMostBatchSeconds = 1e8;  ///< Of any one time in a batch.

/// `least` is what is allowed at least: 0, or the smallest amount above it; of seconds any amount.
Duration seconds_of(const Node& value, const std::string& what, Duration least);
Bytes gigabytes_of(const Node& value, const std::string& what, Bytes least);

}  // namespace sy::input
