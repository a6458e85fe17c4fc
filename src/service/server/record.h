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

enum class State : std::uint8_t { queued, running, succeeded, failed, timed_out, lost, cancelled, skipped };
constexpr State last_of(State) {
    return State::skipped;
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

/// A task's place among those that were handed in as one array.
struct ArrayPlace {
    std::uint32_t index = 0;
    std::uint32_t count = 0;  ///< 0: it was handed in by itself.

    static constexpr auto fields() { return std::tuple{&ArrayPlace::index, &ArrayPlace::count}; }
    friend bool operator==(const ArrayPlace&, const ArrayPlace&) = default;
};

struct TaskRecord {
    std::string name;
    std::string user;
    wire::Work work;
    TaskSpec spec;
    std::string type;  ///< Of a task that uses a model.
    Bytes estimate;    ///< What the model file says that it needs.
    Duration delay{};
    std::vector<Need> after;  ///< As its client said it.
    ArrayPlace array;
    TaskId again;        ///< The task that does its work once more.
    TaskId in_place_of;  ///< The task whose work it does once more.
    State state = State::queued;
    WallTime submitted = 0;
    WallTime ended = 0;
    std::vector<AttemptRecord> attempts;
    std::uint64_t written = 0;  ///< In this life: the group that holds it as it is. Not kept.

    static constexpr auto fields() {
        return std::tuple{&TaskRecord::name,      &TaskRecord::user,     &TaskRecord::work,        &TaskRecord::spec,
                          &TaskRecord::type,      &TaskRecord::estimate, &TaskRecord::delay,       &TaskRecord::after,
                          &TaskRecord::array,     &TaskRecord::again,    &TaskRecord::in_place_of, &TaskRecord::state,
                          &TaskRecord::submitted, &TaskRecord::ended,    &TaskRecord::attempts};
    }
    friend bool operator==(const TaskRecord&, const TaskRecord&) = default;
};

/// Ended badly, and nobody has seen to it.
inline bool is_dead_letter(const TaskRecord& record) {
    const State state = record.state;
    return (state == State::failed || state == State::timed_out || state == State::lost) && record.again == TaskId{};
}

}  // namespace sy::server
