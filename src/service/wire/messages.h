// Messages: what server and worker processes say to each other: the protocol of core/model, with what the brains have
// no business with: the command to run, and how it ended.
#pragma once

#include <cstdint>
#include <optional>
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
    std::string next_model;  ///< To be loaded beside it, where there is room for both; empty: none.
    std::uint8_t checkpoint_signal = 0;  ///< Tells a command to save its work and to end; 0: it cannot.
    process::Limits limits;              ///< Of a command.
    std::string account;       ///< Whom a command runs as; empty: as the service. Said when it is sent to a worker.
    bool may_be_root = false;  ///< Its client named root's account.
    bool stream = false;       ///< Somebody listens while it is answered: every Piece is to be sent.

    static constexpr auto fields() {
        return std::tuple{&Work::argv,   &Work::environment, &Work::folder,      &Work::input,
                          &Work::model,  &Work::load_only,   &Work::stream,      &Work::checkpoint_signal,
                          &Work::limits, &Work::account,     &Work::may_be_root, &Work::next_model};
    }
    friend bool operator==(const Work&, const Work&) = default;
};

/// How a model is called whose runner is an HTTP server.
struct ModelServer {
    std::string served_name;  ///< What it calls the model itself.
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;          ///< 0: a free one, put where ${PORT} stands.
    std::string health = "/health";  ///< Answers with 2xx when the model is loaded. Empty: it is when somebody listens.
    Duration start_timeout = 300s;   ///< To load, or to wake.
    std::string sleep;               ///< Frees the GPU while its process stays; empty: it cannot.
    std::string wake;                ///< And back.
    std::uint32_t most_sleeping = 4;  ///< Of all the worker's models together.

    static constexpr auto fields() {
        return std::tuple{&ModelServer::served_name,   &ModelServer::address,      &ModelServer::port,
                          &ModelServer::health,        &ModelServer::sleep,        &ModelServer::wake,
                          &ModelServer::start_timeout, &ModelServer::most_sleeping};
    }
    friend bool operator==(const ModelServer&, const ModelServer&) = default;
};

/// How a model's runner is started.
struct RunnerStart {
    Work work;
    std::optional<ModelServer> server = {};  ///< Where it is one.

    static constexpr auto fields() { return std::tuple{&RunnerStart::work, &RunnerStart::server}; }
    friend bool operator==(const RunnerStart&, const RunnerStart&) = default;
};

struct Assignment {
    StartAttempt start;
    Work work;
    std::optional<ModelServer> server = {};  ///< Where its model has one.
    std::optional<RunnerStart> beside = {};  ///< Of the model to be loaded beside it.

    static constexpr auto fields() {
        return std::tuple{&Assignment::start, &Assignment::work, &Assignment::server, &Assignment::beside};
    }
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
    std::string error;           ///< Why it could not be started, or what its runner said; empty where all was well.
    std::uint64_t load_us = 0;   ///< What loading its model took; 0: it was loaded.
    std::uint64_t ahead_us = 0;  ///< Of that or of waking it, what had passed before its own turn came.
    std::string output;          ///< Of a runner: JSON.
    std::uint64_t gpu_peak_bytes = 0;  ///< What a runner says that a call used of a GPU; 0: nothing.
    std::string tail;                  ///< Of a command that failed: the end of what it wrote to stderr.
    std::uint64_t wake_us = 0;         ///< What waking its model took; 0: it was awake.
    std::uint32_t http_status = 0;     ///< With which a model server refused it; 0: none did.

    static constexpr auto fields() {
        return std::tuple{&Details::exit_code,   &Details::signal,    &Details::cpu_us,         &Details::peak_bytes,
                          &Details::out_bytes,   &Details::err_bytes, &Details::error,          &Details::load_us,
                          &Details::output,      &Details::tail,      &Details::gpu_peak_bytes, &Details::wake_us,
                          &Details::http_status, &Details::ahead_us};
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

/// Part of an answer that is not whole yet. One that is lost on the way is not sent again: the report has it all.
struct Piece {
    GpuId gpu;
    TaskId task;
    std::uint32_t attempt = 0;
    Fence fence;
    std::string bytes;  ///< A JSON document.

    static constexpr auto fields() {
        return std::tuple{&Piece::gpu, &Piece::task, &Piece::attempt, &Piece::fence, &Piece::bytes};
    }
    friend bool operator==(const Piece&, const Piece&) = default;
};

/// The models that are asleep on a GPU, whenever that has changed, and which of them fell asleep just now.
struct Sleepers {
    GpuId gpu;
    std::vector<NameId> models;
    NameId fell;                 ///< 0: none.
    std::uint64_t sleep_us = 0;  ///< What that took.

    static constexpr auto fields() {
        return std::tuple{&Sleepers::gpu, &Sleepers::models, &Sleepers::fell, &Sleepers::sleep_us};
    }
    friend bool operator==(const Sleepers&, const Sleepers&) = default;
};

using ToServer = std::variant<Line, Hello, Heartbeat, DetailedReport, Piece, Sleepers, Unloaded>;

/// Of which GPU the worker is that says so.
inline GpuId speaker_of(const ToServer& message) {
    return std::visit(
        [](const auto& word) {
            if constexpr (requires { word.report; }) {
                return word.report.gpu;
            } else {
                return word.gpu;
            }
        },
        message);
}

using ToWorker =
    std::variant<Welcome, HelloRefused, Expelled, BeatHeard, Assignment, StopAttempt, ReportHeard, KeepModels>;

}  // namespace sy::wire
