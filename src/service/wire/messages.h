// Messages: what server and worker processes say to each other: the protocol of core/model, with what the brains have
// no business with: the command to run, and how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "core/model/protocol.h"
#include "service/process/limits.h"

namespace sy::wire {

/// In the environment of everything that runs on a GPU: the service's folder, '#', and the GPU's number. By it what ran
/// can be found, even if nobody is left who started it.
inline constexpr const char* kPlaceMark = "SWITCHYARD_MARK";

struct Setting {
    std::string key;
    std::string value;

    static constexpr auto fields() { return std::tuple{&Setting::key, &Setting::value}; }
    friend bool operator==(const Setting&, const Setting&) = default;
};

/// What a task does.
struct Work {
    std::vector<std::string> argv;
    std::vector<Setting> environment;
    std::string folder = "/";
    std::string input;       ///< For a command its standard input, for a model JSON.
    std::string model;       ///< Whose runner is called; empty: a command. Then the rest says how to start that runner.
    bool load_only = false;  ///< The model is to be loaded, and nothing more.
    std::uint8_t checkpoint_signal = 0;  ///< Tells a command to save its work and to end; 0: it cannot.
    process::Limits limits;              ///< Of a command.
    std::string account;       ///< Whom a command runs as; empty: as the service. Said when it is sent to a worker.
    bool may_be_root = false;  ///< Its client named root's account.

    static constexpr auto fields() {
        return std::tuple{
            &Work::argv,      &Work::environment,       &Work::folder, &Work::input,   &Work::model,
            &Work::load_only, &Work::checkpoint_signal, &Work::limits, &Work::account, &Work::may_be_root};
    }
    friend bool operator==(const Work&, const Work&) = default;
};

struct Assignment {
    StartAttempt start;
    Work work;

    static constexpr auto fields() { return std::tuple{&Assignment::start, &Assignment::work}; }
    friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// How an attempt ended, for people.
struct Details {
    std::int32_t exit_code = 0;
    std::int32_t signal = 0;  ///< 0: none.
    std::uint64_t cpu_us = 0;
    std::uint64_t peak_bytes = 0;
    std::uint64_t out_bytes = 0;
    std::uint64_t err_bytes = 0;
    std::string error;          ///< Why it could not be started, or what its runner said; empty where all was well.
    std::uint64_t load_us = 0;  ///< What loading its model took; 0: it was loaded.
    std::string output;         ///< Of a runner: JSON.
    std::uint64_t gpu_peak_bytes = 0;  ///< What a runner says that a call used of a GPU; 0: nothing.
    std::string tail;                  ///< Of a command that failed: the end of what it wrote to stderr.

    static constexpr auto fields() {
        return std::tuple{&Details::exit_code, &Details::signal,    &Details::cpu_us,        &Details::peak_bytes,
                          &Details::out_bytes, &Details::err_bytes, &Details::error,         &Details::load_us,
                          &Details::output,    &Details::tail,      &Details::gpu_peak_bytes};
    }
    friend bool operator==(const Details&, const Details&) = default;
};

struct DetailedReport {
    Report report;
    Details details;

    static constexpr auto fields() { return std::tuple{&DetailedReport::report, &DetailedReport::details}; }
    friend bool operator==(const DetailedReport&, const DetailedReport&) = default;
};

/// The first word on a new line: whose it is.
struct Line {
    GpuId gpu;

    static constexpr auto fields() { return std::tuple{&Line::gpu}; }
    friend bool operator==(const Line&, const Line&) = default;
};

using ToServer = std::variant<Line, Hello, Heartbeat, DetailedReport>;
using ToWorker =
    std::variant<Welcome, HelloRefused, Expelled, BeatHeard, Assignment, StopAttempt, ReportHeard, KeepModels>;

}  // namespace sy::wire
