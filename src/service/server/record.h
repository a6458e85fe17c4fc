// Record: a task as its owner knows it: what it was to do, and what became of each attempt. The brain has no use for
// it.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/task.h"
#include "service/wire/messages.h"

namespace sy::server {

/// Milliseconds since 1970, for people; nothing is decided by them. 0: not yet.
using WallTime = std::int64_t;

enum class State : std::uint8_t { queued, running, succeeded, failed, timed_out, lost, cancelled };
constexpr State last_of(State) {
    return State::cancelled;
}
const char* name_of(State state);
inline bool has_ended(State state) {
    return state >= State::succeeded;
}

struct AttemptRecord {
    GpuSpan gpus;
    Fence fence;
    WallTime started = 0;
    WallTime ended = 0;
    wire::Details details;
    std::string note;  ///< Why it did not count, where it did not.

    static constexpr auto fields() {
        return std::tuple{&AttemptRecord::gpus,  &AttemptRecord::fence,   &AttemptRecord::started,
                          &AttemptRecord::ended, &AttemptRecord::details, &AttemptRecord::note};
    }
    friend bool operator==(const AttemptRecord&, const AttemptRecord&) = default;
};

struct TaskRecord {
    std::string name;
    wire::Work work;
    TaskSpec spec;
    State state = State::queued;
    WallTime submitted = 0;
    WallTime ended = 0;
    std::vector<AttemptRecord> attempts;

    static constexpr auto fields() {
        return std::tuple{&TaskRecord::name,      &TaskRecord::work,  &TaskRecord::spec,    &TaskRecord::state,
                          &TaskRecord::submitted, &TaskRecord::ended, &TaskRecord::attempts};
    }
    friend bool operator==(const TaskRecord&, const TaskRecord&) = default;
};

}  // namespace sy::server
