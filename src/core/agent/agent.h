// Agent: a worker's brain. One GPU, at most one process (G7).
//
// Pure like the server's: events in, effects out, time as a parameter. It promises that
//  - it says hello only while nothing runs on its GPU;
//  - it never takes on an attempt that is older than one it has seen, or of a session that is not its own;
//  - of attempts that stand one behind another it takes on none before the one before it;
//  - its process is asked to end, and then killed, before the server can have given the worker up (timing.h);
//  - a report is repeated until the server has heard it.
// It knows nothing of queues and other workers. Its state dies with its process, and that is safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/event.h"
#include "core/model/protocol.h"
#include "core/model/timing.h"

namespace sy::agent {

/// The process is gone, and everything it started with it.
struct ProcessEnded {
    Fence fence;
    bool success = false;
    bool model_held = false;
    bool out_of_memory = false;
    Duration ran{};
};

/// The line to the server is new: what was said on the old one may be lost.
struct Reconnected {};
/// Of the models that had to go nothing is left.
struct Settled {};

using Event = std::variant<Welcome, HelloRefused, Expelled, BeatHeard, StartAttempt, StopAttempt, ReportHeard,
                           KeepModels, ProcessEnded, Reconnected, Settled, Tick>;

/// Start the task's process on these GPUs.
struct Launch {
    GpuSpan span;
    TaskId task;
    std::uint32_t attempt = 0;
    Fence fence;
    NameId model;                 ///< That it uses; 0: none.
    std::vector<HeldModel> keep;  ///< The models that stay loaded; others must go first.
    NameId beside;                ///< To be loaded while it runs; 0: none.
};
/// Tell the process to save its work and to end, by the signal it asked for.
struct Interrupt {
    Fence fence;
};
/// Ask the process to end (SIGTERM).
struct Terminate {
    Fence fence;
};
/// End it (SIGKILL to the whole tree).
struct Kill {
    Fence fence;
};
/// Send a Tick at this instant. The latest one counts.
struct WakeAt {
    Instant at;
};

using Effect = std::variant<Hello, Heartbeat, Report, Launch, Terminate, Kill, KeepModels, WakeAt, Interrupt, Unloaded>;

class Agent {
public:
    /// `incarnation` is drawn at random for each start of the worker process. The first step should be a Tick.
    Agent(GpuId gpu, std::uint64_t incarnation, Timing timing);

    /// The effects are valid until the next step.
    std::span<const Effect> step(const Event& event, Instant now);

    bool has_session() const { return session_.has_value(); }
    /// Whether this attempt waits for its turn.
    bool is_to_run(Fence fence) const;
    bool has_more_to_run() const { return !pending_.empty(); }
    /// Whether it wants to hear that what had to go is gone.
    bool is_asked_to_unload() const { return unloading_ != Fence{}; }

private:
    struct Process {
        TaskId task;
        std::uint32_t attempt = 0;
        Fence fence;
        Instant deadline;         ///< Its timeout.
        Instant end_at = kNever;  ///< It was told to save its work; then it is asked to end.
        Instant kill_at = kNever;
        bool ending = false;
        /// What to report when it ends; nothing where the attempt is void anyway.
        std::optional<Outcome> verdict;
    };
    struct Unheard {
        Report report;
        Instant said;
    };
    struct SentBeat {
        std::uint64_t beat = 0;
        Instant at;
    };

    void on(const Welcome& message);
    void on(const HelloRefused& message);
    void on(const Expelled& message);
    void on(const BeatHeard& message);
    void on(const StartAttempt& message);
    void on(const StopAttempt& message);
    void on(const ReportHeard& message);
    void on(const KeepModels& message);
    void on(const ProcessEnded& event);
    void on(const Reconnected&);
    void on(const Settled&);
    void on(const Tick&) {}

    void launch_next();
    void interrupt_process(Duration notice);
    void end_process(std::optional<Outcome> verdict);
    void tell(const Report& report);
    void repeat_reports();
    void leave_session();
    void do_what_is_due();
    void beat();
    void say_hello();
    Instant next_due() const;

    GpuId gpu_;
    std::uint64_t incarnation_;
    Timing timing_;
    Instant now_ = kStart;

    std::uint64_t hello_number_ = 1;
    Instant hello_first_sent_ = kNever;  ///< kNever: this number has not been said yet.
    Instant hello_due_ = kStart;

    std::optional<SessionId> session_;
    Instant lease_end_ = kNever;
    Instant beat_due_ = kNever;
    std::uint64_t last_beat_ = 0;
    std::deque<SentBeat> unheard_;  ///< At most kMostUnheard, oldest first.

    Fence unloading_;  ///< The number of the unloading that the server waits for; 0: none.
    Fence last_keep_;  ///< The newest number of what to keep that was heard.
    Fence launched_;   ///< The newest that began.
    Fence newest_;     ///< Nothing at or below it will be taken on any more.
    std::optional<Process> process_;
    std::deque<StartAttempt> pending_;  ///< Each begins when the one before it has ended.
    std::vector<Unheard> reports_;

    std::vector<Effect> effects_;
};

}  // namespace sy::agent
