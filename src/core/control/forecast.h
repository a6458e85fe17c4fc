// Forecast: when those in line are expected to start, and which model each GPU would have to load next.
//
// A guess for people: nothing is decided by it. What is not known is left out rather than made up; where only some of
// the GPUs that a task could go to have a known end, its start is told as a bound: then or sooner.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/control/core.h"

namespace sy::control {

struct ExpectedStart {
    Duration in{};
    bool is_bound = false;  ///< It may be sooner: somebody it could follow ends nobody knows when.

    friend bool operator==(const ExpectedStart&, const ExpectedStart&) = default;
};

/// A GPU would have to load this model for that task.
struct NextSwitch {
    NameId model;
    TaskId task;
    ExpectedStart when;

    friend bool operator==(const NextSwitch&, const NextSwitch&) = default;
};

/// How long loading a model takes; nothing where nobody knows.
using LoadTime = std::function<std::optional<Duration>(NameId)>;

class Forecast {
public:
    Forecast() = default;
    /// `now`: not before the brain's last step.
    Forecast(const Core& core, Instant now, const LoadTime& load_time);

    /// Nothing where it is not known, or the task stands too far back.
    std::optional<ExpectedStart> start_of(TaskId task) const;
    std::optional<NextSwitch> next_switch(GpuId gpu) const;
    /// How many in line were looked at.
    std::size_t reach() const { return reach_; }

private:
    std::map<TaskId, ExpectedStart> starts_;
    std::vector<std::optional<NextSwitch>> switches_;  ///< By GPU.
    std::size_t reach_ = 0;
};

}  // namespace sy::control
