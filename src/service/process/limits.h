// Limits: how much a command may use, set by the kernel for each of its processes (setrlimit). What is not said here
// stays as the caller has it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include <sys/resource.h>

namespace sy::process {

struct Limits {
    std::optional<std::uint64_t> cpu_s;
    std::optional<std::uint64_t> memory_mb;  ///< Address space.
    std::optional<std::uint64_t> open_files;
    std::optional<std::uint64_t> file_mb;
    std::optional<std::uint64_t> processes;  ///< Of the user, whoever started them; root is not bound by it.
    std::optional<std::uint64_t> core_mb;

    static constexpr auto fields() {
        return std::tuple{&Limits::cpu_s,   &Limits::memory_mb, &Limits::open_files,
                          &Limits::file_mb, &Limits::processes, &Limits::core_mb};
    }
    friend bool operator==(const Limits&, const Limits&) = default;
};

struct LimitKind {
    const char* name;
    std::optional<std::uint64_t> Limits::*member;
    __rlimit_resource resource;
    std::uint64_t unit;
    std::uint64_t least;
};

inline constexpr std::uint64_t kMostOfALimit = 1'000'000'000;
inline constexpr std::array<LimitKind, 6> kLimitKinds{
    LimitKind{"cpu_s", &Limits::cpu_s, RLIMIT_CPU, 1, 1},
    LimitKind{"memory_mb", &Limits::memory_mb, RLIMIT_AS, 1'000'000, 1},
    LimitKind{"open_files", &Limits::open_files, RLIMIT_NOFILE, 1, 1},
    LimitKind{"file_mb", &Limits::file_mb, RLIMIT_FSIZE, 1'000'000, 1},
    LimitKind{"processes", &Limits::processes, RLIMIT_NPROC, 1, 1},
    LimitKind{"core_mb", &Limits::core_mb, RLIMIT_CORE, 1'000'000, 0}};

/// False, with errno, where one cannot be set. Safe between fork and exec.
inline bool apply(const Limits& limits) {
    for (const LimitKind& kind : kLimitKinds) {
        const auto& amount = limits.*kind.member;
        if (!amount) continue;
        const rlim_t most = *amount * kind.unit;
        // At the lower bound of processor time it is asked to end (SIGXCPU), at the upper one it is killed.
        const rlimit bounds{most, kind.resource == RLIMIT_CPU ? most + 1 : most};
        if (::setrlimit(kind.resource, &bounds) != 0) return false;
    }
    return true;
}

}  // namespace sy::process
