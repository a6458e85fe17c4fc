// Protocol: what server and worker say to each other.
//
// Any message may be lost, repeated, delayed or overtaken; the protocol heals by itself, since a heartbeat carries the
// worker's whole state and the server answers a difference by saying again what it said before. Three numbers, all of
// which only grow, tell old from new: the hello number (which stay is this?), the session (whose word counts?), the
// fence (which attempt?). docs/design/0002 walks through the cases.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/gpu.h"

namespace sy {

/// How an attempt ended, in its worker's words.
enum class Outcome : std::uint8_t {
    succeeded,
    failed,
    timed_out,
    stopped,  ///< By the server's wish; also for an attempt that never began and now never will.
};
constexpr Outcome last_of(Outcome) {
    return Outcome::stopped;
}

/// Names one of a worker's tries to join. `incarnation` is drawn at random when the worker process starts.
struct HelloName {
    std::uint64_t incarnation = 0;
    std::uint64_t number = 0;

    static constexpr auto fields() { return std::tuple{&HelloName::incarnation, &HelloName::number}; }
    friend bool operator==(const HelloName&, const HelloName&) = default;
};

// ---- worker to server -------------------------------------------------------------------------------------------

/// "I am here, and nothing runs on my GPU." Said only when that is true.
struct Hello {
    GpuId gpu;
    HelloName name;

    static constexpr auto fields() { return std::tuple{&Hello::gpu, &Hello::name}; }
    friend bool operator==(const Hello&, const Hello&) = default;
};

struct Heartbeat {
    GpuId gpu;
    SessionId session;
    std::uint64_t beat = 0;  ///< Counts up within a session.
    Fence newest;            ///< Of the attempts it was told of. Whatever is newer was lost on the way.

    static constexpr auto fields() {
        return std::tuple{&Heartbeat::gpu, &Heartbeat::session, &Heartbeat::beat, &Heartbeat::newest};
    }
    friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

/// Sent again with heartbeats until acknowledged. Its fence alone decides whether it still counts.
struct Report {
    GpuId gpu;
    TaskId task;
    std::uint32_t attempt = 0;
    Fence fence;
    Outcome outcome = Outcome::succeeded;
    bool model_held = false;     ///< The model it used is loaded still.
    bool out_of_memory = false;  ///< It failed for want of the GPU's memory.
    Duration ran{};              ///< Loading its model left out.

    static constexpr auto fields() {
        return std::tuple{&Report::gpu,     &Report::task,       &Report::attempt,       &Report::fence,
                          &Report::outcome, &Report::model_held, &Report::out_of_memory, &Report::ran};
    }
    friend bool operator==(const Report&, const Report&) = default;
};

/// "What you last told me to unload is gone."
struct Unloaded {
    GpuId gpu;
    SessionId session;
    Fence number;  ///< Of the KeepModels this answers.

    static constexpr auto fields() { return std::tuple{&Unloaded::gpu, &Unloaded::session, &Unloaded::number}; }
    friend bool operator==(const Unloaded&, const Unloaded&) = default;
};

// ---- server to worker -------------------------------------------------------------------------------------------

struct Welcome {
    GpuId gpu;
    HelloName name;  ///< The hello this answers.
    SessionId session;

    static constexpr auto fields() { return std::tuple{&Welcome::gpu, &Welcome::name, &Welcome::session}; }
    friend bool operator==(const Welcome&, const Welcome&) = default;
};

/// The hello's number was used before: a worker that forgot, or an old message. A live worker tries a higher one.
struct HelloRefused {
    GpuId gpu;
    HelloName name;  ///< The hello this answers.
    std::uint64_t latest = 0;

    static constexpr auto fields() {
        return std::tuple{&HelloRefused::gpu, &HelloRefused::name, &HelloRefused::latest};
    }
    friend bool operator==(const HelloRefused&, const HelloRefused&) = default;
};

/// This session is over; whatever ran in it is void. The worker ends it and says hello again.
struct Expelled {
    GpuId gpu;
    SessionId session;

    static constexpr auto fields() { return std::tuple{&Expelled::gpu, &Expelled::session}; }
    friend bool operator==(const Expelled&, const Expelled&) = default;
};

/// Renews the lease, counted from when that beat was sent.
struct BeatHeard {
    GpuId gpu;
    SessionId session;
    std::uint64_t beat = 0;

    static constexpr auto fields() { return std::tuple{&BeatHeard::gpu, &BeatHeard::session, &BeatHeard::beat}; }
    friend bool operator==(const BeatHeard&, const BeatHeard&) = default;
};

struct StartAttempt {
    GpuSpan span;  ///< Sent to the lead's worker, which runs the process on all of them.
    SessionId session;
    TaskId task;
    std::uint32_t attempt = 0;
    Fence fence;
    Duration timeout{};
    NameId model;                 ///< That it uses; 0: none.
    std::vector<HeldModel> keep;  ///< The models that its worker may keep, this one among them; others must go first.
    Fence behind;                 ///< It begins when this one, handed out before it, has ended. 0: at once.
    NameId beside;                ///< A model to load while it runs; 0: none.

    static constexpr auto fields() {
        return std::tuple{&StartAttempt::span,   &StartAttempt::session, &StartAttempt::task,  &StartAttempt::attempt,
                          &StartAttempt::fence,  &StartAttempt::timeout, &StartAttempt::model, &StartAttempt::keep,
                          &StartAttempt::behind, &StartAttempt::beside};
    }
    friend bool operator==(const StartAttempt&, const StartAttempt&) = default;
};

/// Answered by a Report, whether or not the attempt ever began.
struct StopAttempt {
    GpuId gpu;
    TaskId task;
    std::uint32_t attempt = 0;
    Fence fence;
    Fence behind;               ///< As of its start.
    bool unless_begun = false;  ///< What runs already may go on.
    Duration notice{};          ///< It is told to save its work, and asked to end only so much later.

    static constexpr auto fields() {
        return std::tuple{&StopAttempt::gpu,    &StopAttempt::task,         &StopAttempt::attempt, &StopAttempt::fence,
                          &StopAttempt::behind, &StopAttempt::unless_begun, &StopAttempt::notice};
    }
    friend bool operator==(const StopAttempt&, const StopAttempt&) = default;
};

/// All other models of this worker may be unloaded. If this is lost, the next start says it again; with a number it is
/// said again until the worker has answered that they are gone.
struct KeepModels {
    GpuId gpu;
    std::vector<HeldModel> models;
    Fence number;  ///< Grows with the fences: a start with a larger one says better. 0: nobody waits for it.

    static constexpr auto fields() { return std::tuple{&KeepModels::gpu, &KeepModels::models, &KeepModels::number}; }
    friend bool operator==(const KeepModels&, const KeepModels&) = default;
};

struct ReportHeard {
    GpuId gpu;
    Fence fence;

    static constexpr auto fields() { return std::tuple{&ReportHeard::gpu, &ReportHeard::fence}; }
    friend bool operator==(const ReportHeard&, const ReportHeard&) = default;
};

using FromWorker = std::variant<Hello, Heartbeat, Report, Unloaded>;
using ToWorker =
    std::variant<Welcome, HelloRefused, Expelled, BeatHeard, StartAttempt, StopAttempt, ReportHeard, KeepModels>;

/// The GPU whose worker a message concerns.
GpuId address_of(const ToWorker& message);

}  // namespace sy
