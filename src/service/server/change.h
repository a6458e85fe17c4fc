// Change: something happened that people want to know of, told once it is durable and in the order in which it
// happened. Metrics, the stream of events and alerts all live on these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/model/gpu.h"
#include "core/model/task.h"
#include "service/server/record.h"

namespace sy::server {

struct TaskChange {
    enum class What : std::uint8_t {
        accepted,
        started,
        voided,      ///< The attempt does not count; the task waits again, unless its end follows at once.
        recalled,    ///< It was handed out ahead of time and has not begun; it waits again.
        preempting,  ///< It is told to save its work and to make way.
        preempted,   ///< It has made way and waits again.
        requeued,    ///< The attempt failed by itself, and there is another to come.
        ended,
    };

    TaskId task;
    What what = What::accepted;
    Level level = Level::normal;
    std::optional<State> before;  ///< Nothing where it is new.
    State after = State::queued;
    std::uint32_t attempt = 0;
    GpuSpan gpus;                   ///< Where it started.
    const char* cause = "";         ///< Why it is void, or how the attempt went that is to be repeated.
    State came_to = State::queued;  ///< Of `requeued`: failed or timed_out.
    Instant at;                     ///< In the brain's time.
    Instant submitted = at;         ///< Likewise.
};
const char* name_of(TaskChange::What what);

struct WorkerChange {
    GpuId gpu;
    bool present = false;
};

struct QueueChange {
    bool paused = false;
};

struct DiskChange {
    bool full = false;
    std::string message;
};

struct Change {
    WallTime wall = 0;
    std::variant<TaskChange, WorkerChange, QueueChange, DiskChange> what;
};

}  // namespace sy::server
