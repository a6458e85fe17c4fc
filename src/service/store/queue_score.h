// Queue score: a task's place in the queue as one number that a sorted set of Redis keeps exactly (G1).
//
// Redis keeps scores as doubles, which hold every whole number up to 2^53. The upper 3 bits are the priority class, the
// lower 50 the number in line, so a smaller class goes first and within a class the smaller number. A task's own number
// is sixteen times its id, and one that was moved has one in between (waiting_line.h): at a million tasks a second the
// numbers last for more than two years.
#pragma once

#include <cstdint>
#include <optional>

namespace sy::store {

inline constexpr std::uint32_t kMostClasses = 8;
inline constexpr std::uint64_t kMostSequences = std::uint64_t{1} << 50U;

/// Nothing where it would not be exact.
constexpr std::optional<std::uint64_t> queue_score(std::uint32_t priority_class, std::uint64_t sequence) {
    if (priority_class >= kMostClasses || sequence >= kMostSequences) return std::nullopt;
    return priority_class * kMostSequences + sequence;
}

constexpr std::uint32_t class_of_score(std::uint64_t score) {
    return static_cast<std::uint32_t>(score / kMostSequences);
}
constexpr std::uint64_t sequence_of_score(std::uint64_t score) {
    return score % kMostSequences;
}

}  // namespace sy::store
