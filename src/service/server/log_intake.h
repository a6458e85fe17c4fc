// LogIntake: what tasks on other hosts write, kept beside what those of this machine write.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "service/wire/host_messages.h"

namespace sy::server {

/// As the size of a log: nothing more of it is wanted.
inline constexpr std::uint64_t kNoMoreOfIt = std::numeric_limits<std::uint64_t>::max();

class LogIntake {
public:
    LogIntake(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {}

    /// How much of it is there now. What was sent before changes nothing, and what leaves a gap is not taken.
    std::uint64_t take(const wire::LogBytes& part) const;

private:
    std::string folder_;
    std::uint64_t most_;
};

}  // namespace sy::server
