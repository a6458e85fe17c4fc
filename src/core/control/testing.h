// For tests of the brain: a server one can feed.
#pragma once

#include <vector>

#include "core/control/core.h"

namespace sy::control {

class Server {
public:
    explicit Server(Limits limits = {}) : core(Settings{.limits = limits}) {}
    explicit Server(const Settings& settings) : core(settings) {}

    std::vector<Effect> feed(const Event& event, Duration at = 0s) {
        const auto effects = core.step(event, kStart + at);
        return {effects.begin(), effects.end()};
    }
    /// One node, its workers present.
    Server& with_gpus(GpuCount count) {
        feed(AddNode{std::vector(count, GpuSpec{gigabytes(80)})});
        for (std::uint32_t i = 0; i < count; ++i) feed(Hello{GpuId(i), {1, 1}});
        return *this;
    }
    std::vector<Effect> submit(TaskSpec spec = {}) { return feed(SubmitTask{RequestId(1), spec}); }
    /// The attempt that runs says how it ended.
    std::vector<Effect> report(TaskId task, Outcome outcome, Duration at = 0s) {
        const Task& t = *core.find(task);
        return feed(Report{t.span.lead(), task, t.attempts, t.fence, outcome}, at);
    }
    TaskState state(TaskId task) const { return core.find(task)->state; }

    Core core;
};

template <class T>
const T* find(const std::vector<Effect>& effects) {
    for (const Effect& effect : effects)
        if (const T* found = std::get_if<T>(&effect)) return found;
    return nullptr;
}

inline Cause cause_of(const std::vector<Effect>& effects) {
    const auto* refused = find<Refused>(effects);
    return refused == nullptr ? Cause::none : refused->reason.cause;
}

}  // namespace sy::control
