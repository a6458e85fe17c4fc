// Machine: one GPU with its worker. Turns the agent's effects into processes, and processes into later events.
//
// Simulated: a process is a fate (how long, how it ends, whether it listens) and an entry in the agenda. The machine
// has a clock of its own that runs a little fast or slow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/random.h"
#include "base/time.h"
#include "core/agent/agent.h"
#include "core/model/protocol.h"
#include "core/model/timing.h"
#include "sim/agenda.h"

namespace sy::sim {

using Action = std::function<void()>;

/// What is in store for one attempt.
struct Fate {
    Duration lasts{};  ///< Left alone. A hanging one lasts for ever.
    bool succeeds = true;
    Duration saves{};             ///< From the signal to save; for ever where it is stubborn.
    Duration ends_when_asked{};   ///< From SIGTERM; for ever where it is stubborn.
    Duration ends_when_killed{};  ///< From SIGKILL.
    Duration unloads{};           ///< What its model takes to go.
};

class Machine {
public:
    /// What the machine needs of the world around it.
    struct World {
        Agenda<Action>& agenda;
        std::function<void(const FromWorker&)> send;
        std::function<Fate(TaskId, std::uint32_t attempt)> fate;
        std::function<void(const agent::Launch&)> started;
        std::function<void(const agent::Launch&, bool success)> ended;
        std::function<void(const GpuSpan&, NameId model, bool loaded)> model;  ///< Loaded there now, or gone.
    };

    Machine(GpuId gpu, Timing timing, std::int64_t drift_ppm, World world);

    GpuId gpu() const { return gpu_; }
    bool is_up() const { return agent_.has_value(); }

    void start(std::uint64_t incarnation);
    /// The worker dies, and its process with it.
    void crash();
    void receive(const ToWorker& message);

private:
    struct Process {
        agent::Launch launch;
        Fate fate;
        Instant began;
        Instant ends;
    };

    void step(const agent::Event& event);
    void carry_out(const agent::Effect& effect);
    void launch(const agent::Launch& launch);
    void load(NameId model, const GpuSpan& span, Duration unloads);
    void unload(NameId model);
    void keep_only(const std::vector<HeldModel>& models);
    void unload_others(const std::vector<HeldModel>& models);
    void settle();
    void end_by(Instant when, bool success);
    void wake_at(Instant local);

    Instant to_local(Instant t) const;
    Instant to_global(Instant local) const;

    GpuId gpu_;
    Timing timing_;
    std::int64_t drift_ppm_;
    World world_;
    std::optional<agent::Agent> agent_;
    struct Loaded {
        GpuSpan span;
        Duration unloads{};
    };

    std::optional<Process> process_;
    std::map<NameId, Loaded> models_;
    std::map<NameId, Instant> unloading_;  ///< Those of them that go, and when.
    std::uint64_t boots_ = 0;              ///< What was entered in the agenda before a crash is void.
    Instant wake_ = kNever;
};

}  // namespace sy::sim
