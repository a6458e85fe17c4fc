// Host messages: what server and host say to each other on the one line between them: the words of the host's workers,
// and what goes with them, since the server cannot look at the host's processes, cards and files itself.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/model/gpu.h"
#include "core/model/timing.h"
#include "service/wire/messages.h"

namespace sy::wire {

/// Of this line. Both ends must have the same.
inline constexpr std::uint32_t kHostFormat = 2;
inline constexpr const char* kHostProtocol = "switchyard-host";

inline constexpr std::size_t kLongestHostName = 63;
/// It stands in addresses and in names of files.
inline bool is_host_name(std::string_view name) {
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= kLongestHostName && std::all_of(name.begin(), name.end(), is_plain) &&
           name.front() != '.' && name.front() != '-';
}
inline std::string why_no_host_name(std::string_view name) {
    return fmt::format("'{}' is no name of a host: up to {} letters, digits, '.', '_' and '-'", name, kLongestHostName);
}

/// The first word: which GPUs those of the host are here, and by which clocks its workers go.
struct HostTerms {
    GpuSpan gpus;
    Duration heartbeat_interval{};
    Duration heartbeat_timeout{};
    Duration stop_grace{};
    std::uint64_t most_log_bytes = 0;

    static constexpr auto fields() {
        return std::tuple{&HostTerms::gpus, &HostTerms::heartbeat_interval, &HostTerms::heartbeat_timeout,
                          &HostTerms::stop_grace, &HostTerms::most_log_bytes};
    }
    friend bool operator==(const HostTerms&, const HostTerms&) = default;
};

struct ForWorker {
    GpuId gpu;
    ToWorker message;

    static constexpr auto fields() { return std::tuple{&ForWorker::gpu, &ForWorker::message}; }
};

struct FromWorker {
    ToServer message;

    static constexpr auto fields() { return std::tuple{&FromWorker::message}; }
};

/// A worker's process has ended, and nothing is left of what it ran.
struct WorkerEnded {
    GpuId gpu;

    static constexpr auto fields() { return std::tuple{&WorkerEnded::gpu}; }
};

/// Which of the two streams of an attempt.
struct LogName {
    TaskId task;
    std::uint32_t attempt = 0;
    bool errors = false;

    static constexpr auto fields() { return std::tuple{&LogName::task, &LogName::attempt, &LogName::errors}; }
    friend auto operator<=>(const LogName&, const LogName&) = default;
};

/// Part of what an attempt wrote.
struct LogBytes {
    LogName log;
    std::uint64_t from = 0;
    std::string bytes;

    static constexpr auto fields() { return std::tuple{&LogBytes::log, &LogBytes::from, &LogBytes::bytes}; }
};

/// The server has so much of it: what comes next begins there.
struct LogKept {
    LogName log;
    std::uint64_t size = 0;

    static constexpr auto fields() { return std::tuple{&LogKept::log, &LogKept::size}; }
};

/// How a GPU of the host is; what its driver does not tell is absent.
struct GpuSeen {
    Bytes total;
    Bytes used;
    Bytes ours;
    std::optional<double> utilization_percent;
    std::optional<double> temperature_c;
    std::optional<double> power_w;
    std::string error;

    static constexpr auto fields() {
        return std::tuple{&GpuSeen::total,         &GpuSeen::used,    &GpuSeen::ours, &GpuSeen::utilization_percent,
                          &GpuSeen::temperature_c, &GpuSeen::power_w, &GpuSeen::error};
    }
};

/// All of them, in their order.
struct GpusSeen {
    std::vector<GpuSeen> gpus;

    static constexpr auto fields() { return std::tuple{&GpusSeen::gpus}; }
};

/// The host wants to go: it is to get nothing new.
struct Leaving {
    static constexpr auto fields() { return std::tuple{}; }
};

/// Nothing runs there any more, and nothing new will.
struct MayLeave {
    static constexpr auto fields() { return std::tuple{}; }
};

using FromHost = std::variant<FromWorker, WorkerEnded, LogBytes, GpusSeen, Leaving>;
using ToHost = std::variant<HostTerms, ForWorker, LogKept, MayLeave>;

}  // namespace sy::wire
