// What a worker has under way: a command, or a call of a model, and what is written meanwhile.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/time.h"
#include "service/process/tree.h"
#include "service/worker/log_file.h"

namespace sy::worker {

/// A command that runs, and what it has written.
struct Run {
    Run(process::Tree started, const std::string& log, std::uint64_t most)
        : tree(std::move(started)), out(log + ".out", most), err(log + ".err", most) {}

    process::Tree tree;
    LogFile out;
    LogFile err;
};

/// A call of a model's runner, and what is written meanwhile.
struct Call {
    Call(const std::string& log, std::uint64_t most) : out(log + ".out", most), err(log + ".err", most) {}

    LogFile out;
    LogFile err;
    std::string id;
    Instant begun;          ///< When its turn came.
    Instant made = kNever;  ///< When the runner was told; before that its model is being loaded.
};

/// At least one: something was done.
inline std::uint64_t microseconds(Duration time) {
    return static_cast<std::uint64_t>(std::max<Duration::rep>(time.count() / 1000, 1));
}

/// What loading or waking a model took that nobody had called yet.
struct LoadedAhead {
    std::uint64_t us = 0;
    bool woke = false;
};

inline std::string tail_of(const LogFile& log) {
    constexpr std::size_t kShown = 1024;
    const std::string& tail = log.tail();
    return tail.substr(tail.size() - std::min(tail.size(), kShown));
}

/// The last line that is not empty; it may be empty all the same.
inline std::string last_line_of(const std::string& text) {
    constexpr std::size_t kShown = 300;
    const std::size_t last = text.find_last_not_of(" \r\n\t");
    if (last == std::string::npos) return "";
    const std::size_t before = text.rfind('\n', last);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    return text.substr(first, std::min(last + 1 - first, kShown));
}

}  // namespace sy::worker
