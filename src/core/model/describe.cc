#include "core/model/describe.h"

#include <fmt/core.h>

namespace sy {

namespace {

std::string gpus(const GpuSpan& span) {
    const auto first = span.first.value();
    return span.count == 1 ? fmt::format("gpu{}", first) : fmt::format("gpu{}-{}", first, first + span.count - 1);
}

std::string attempt(std::uint32_t number, TaskId task) {
    return fmt::format("attempt {} of task {}", number, task.value());
}

// ---- events -------------------------------------------------------------------------------------------------------

std::string line(const AddNode& e) {
    return fmt::format("add a node of {} gpus", e.gpus.size());
}
std::string line(const ForgetNode& e) {
    return fmt::format("forget the node with the name {}", e.name.value());
}
std::string line(const TellKind& e) {
    return fmt::format("the GPUs of node {} are of kind {}", e.node.value(), e.kind.value());
}
std::string line(const TellLine& e) {
    return fmt::format("node {} is {}", e.node.value(), name_of(e.duty));
}
std::string line(const SubmitTask& e) {
    return fmt::format("submit {} task: {} gpus, {} retries, timeout {}", name_of(e.spec.level), e.spec.demand.gpus,
                       e.spec.retries, describe(e.spec.timeout));
}
std::string line(const CancelTask& e) {
    return fmt::format("cancel task {}", e.task.value());
}
std::string line(const Hello& e) {
    return fmt::format("hello from gpu{}, number {}", e.gpu.value(), e.name.number);
}
std::string line(const Heartbeat& e) {
    return fmt::format("beat {} from gpu{} in session {}, holding {}", e.beat, e.gpu.value(), e.session.value(),
                       e.newest == Fence{} ? "nothing" : fmt::format("fence {}", e.newest.value()));
}
std::string line(const Report& e) {
    return fmt::format("report from gpu{}: {} {}", e.gpu.value(), attempt(e.attempt, e.task), name_of(e.outcome));
}
std::string line(const Unloaded& e) {
    return fmt::format("gpu{} has unloaded what it was told to, number {}", e.gpu.value(), e.number.value());
}
std::string line(const ServerStarted&) {
    return "server started";
}
std::string line(const Tick&) {
    return "tick";
}
std::string line(const PauseQueue& e) {
    return e.paused ? "pause the queue" : "resume the queue";
}
std::string line(const Drain&) {
    return "start nothing more";
}
std::string line(const WorkerGone& e) {
    return fmt::format("the worker of gpu{} is gone", e.gpu.value());
}

std::string line(const OperateGpu& e) {
    return fmt::format("put gpu{} {}", e.gpu.value(), name_of(e.duty));
}
std::string line(const ObserveGpu& e) {
    return fmt::format("gpu{} is {}, strangers use {:g} GB", e.gpu.value(), e.faulty ? "faulty" : "healthy",
                       static_cast<double>(e.foreign.value()) / 1e9);
}
std::string line(const PinModel& e) {
    return fmt::format("{} model {}", e.pinned ? "pin" : "unpin", e.model.value());
}
std::string line(const UnloadModel& e) {
    return fmt::format("unload model {}", e.model.value());
}
std::string line(const ChangeLevel& e) {
    return fmt::format("make task {} {}", e.task.value(), name_of(e.level));
}
std::string line(const MoveTask& e) {
    if (e.to == MoveTo::before) return fmt::format("move task {} before task {}", e.task.value(), e.other.value());
    return fmt::format("move task {} to the {}", e.task.value(), e.to == MoveTo::front ? "front" : "back");
}
std::string line(const UntieTask& e) {
    return fmt::format("let task {} go to any GPU", e.task.value());
}

// ---- effects ------------------------------------------------------------------------------------------------------

std::string line(const Accepted& e) {
    return fmt::format("accepted as task {}, position {}", e.task.value(), e.position);
}
std::string line(const Refused& e) {
    return "refused: " + describe(e.reason);
}
std::string line(const Cancelling& e) {
    return fmt::format("cancelling task {}", e.task.value());
}
std::string line(const LevelChanged& e) {
    return fmt::format("task {} is {} now, position {}", e.task.value(), name_of(e.level), e.position);
}
std::string line(const Moved& e) {
    return fmt::format("task {} was moved, position {}", e.task.value(), e.position);
}
std::string line(const Untied& e) {
    return fmt::format("task {} may go to any GPU, position {}", e.task.value(), e.position);
}
std::string line(const Done&) {
    return "done";
}
std::string line(const DemandRaised& e) {
    return fmt::format("task {} ran out of memory, it now asks for {:g} GB", e.task.value(),
                       static_cast<double>(e.memory.value()) / 1e9);
}
std::string line(const KeepModels& e) {
    return fmt::format("gpu{} keeps {} models{}", e.gpu.value(), e.models.size(),
                       e.number == Fence{} ? "" : fmt::format(", number {}", e.number.value()));
}
std::string line(const GpuOperated& e) {
    return fmt::format("gpu{} is {}", e.gpu.value(), name_of(e.duty));
}
std::string line(const RetryHeld& e) {
    return fmt::format("task {} failed, its next attempt is held back for {}", e.task.value(), describe(e.pause));
}
std::string line(const NodeAdded& e) {
    return fmt::format("node {} added with {}", e.node.value(), gpus(e.gpus));
}
std::string line(const NodeRefused& e) {
    return "node refused: " + describe(e.reason);
}
std::string line(const WorkerLost& e) {
    return fmt::format("worker gpu{} lost: no heartbeat for {}", e.gpu.value(), describe(e.silence));
}
std::string line(const AttemptVoid& e) {
    return fmt::format("{} void: {}", attempt(e.attempt, e.task), name_of(e.cause));
}
std::string line(const LateReport& e) {
    const std::string holder = e.current ? fmt::format("attempt {} holds task {}", *e.current, e.task.value())
                                         : fmt::format("no attempt holds task {}", e.task.value());
    return fmt::format("refused: attempt {} is void, {}", e.attempt, holder);
}
std::string line(const Preempting& e) {
    return fmt::format("{} makes way for task {}", attempt(e.attempt, e.task), e.in_favour_of.value());
}
std::string line(const TaskEnded& e) {
    return fmt::format("task {} {}, attempts {}", e.task.value(), name_of(e.end), e.attempts);
}
std::string line(const WakeAt& e) {
    return fmt::format("wake at {}", describe(e.at.time_since_epoch()));
}
std::string line(const Welcome& e) {
    return fmt::format("welcome gpu{}, session {}", e.gpu.value(), e.session.value());
}
std::string line(const HelloRefused& e) {
    return fmt::format("hello {} of gpu{} refused, {} was used", e.name.number, e.gpu.value(), e.latest);
}
std::string line(const Expelled& e) {
    return fmt::format("expel gpu{} from session {}", e.gpu.value(), e.session.value());
}
std::string line(const BeatHeard& e) {
    return fmt::format("heard beat {} of gpu{}", e.beat, e.gpu.value());
}
std::string line(const StartAttempt& e) {
    return fmt::format("start task {} attempt {} on {}", e.task.value(), e.attempt, gpus(e.span));
}
std::string line(const StopAttempt& e) {
    const std::string notice = e.notice > Duration::zero() ? fmt::format(", {} to save", describe(e.notice)) : "";
    return fmt::format("stop task {} attempt {} on gpu{}{}", e.task.value(), e.attempt, e.gpu.value(), notice);
}
std::string line(const ReportHeard& e) {
    return fmt::format("heard report of gpu{}, fence {}", e.gpu.value(), e.fence.value());
}

}  // namespace

std::string describe(const Event& event) {
    return std::visit([](const auto& e) { return line(e); }, event);
}

std::string describe(const Effect& effect) {
    return std::visit([](const auto& e) { return line(e); }, effect);
}

std::string describe(Duration duration) {
    using std::chrono::milliseconds;
    const auto ms = std::chrono::duration_cast<milliseconds>(duration).count();
    if (ms < 0) return "-" + describe(-duration);
    if (ms < 60'000) return fmt::format("{:g}s", static_cast<double>(ms) / 1e3);
    const auto minutes = ms / 60'000;
    const double seconds = static_cast<double>(ms % 60'000) / 1e3;
    const std::string tail = seconds == 0 ? "" : fmt::format(" {:g}s", seconds);
    if (minutes < 60) return fmt::format("{}m{}", minutes, tail);
    return fmt::format("{}h {}m{}", minutes / 60, minutes % 60, tail);
}

const char* name_of(Level level) {
    switch (level) {
        case Level::critical: return "CRITICAL";
        case Level::high: return "HIGH";
        case Level::normal: return "NORMAL";
        case Level::low: return "LOW";
    }
    return "?";
}

const char* name_of(GpuDuty duty) {
    switch (duty) {
        case GpuDuty::in_service: return "in service";
        case GpuDuty::draining: return "draining";
        case GpuDuty::reserved: return "reserved";
        case GpuDuty::leaving: return "leaving";
        case GpuDuty::cut_off: return "cut off";
        case GpuDuty::gone: return "gone";
    }
    return "?";
}

const char* name_of(TaskState state) {
    switch (state) {
        case TaskState::waiting: return "waiting";
        case TaskState::running: return "running";
        case TaskState::stopping: return "stopping";
        case TaskState::held: return "held";
    }
    return "?";
}

const char* name_of(End end) {
    switch (end) {
        case End::succeeded: return "succeeded";
        case End::failed: return "failed";
        case End::timed_out: return "timed out";
        case End::lost: return "lost";
        case End::cancelled: return "cancelled";
        case End::skipped: return "skipped";
    }
    return "?";
}

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::succeeded: return "succeeded";
        case Outcome::failed: return "failed";
        case Outcome::timed_out: return "timed out";
        case Outcome::stopped: return "stopped";
    }
    return "?";
}

const char* name_of(VoidCause cause) {
    switch (cause) {
        case VoidCause::worker_lost: return "worker lost";
        case VoidCause::worker_restarted: return "worker restarted";
        case VoidCause::gang_broken: return "a worker of the gang lost";
        case VoidCause::lease_lost: return "lease lost";
        case VoidCause::gpu_fault: return "GPU fault";
        case VoidCause::recalled: return "recalled before it began";
        case VoidCause::preempted: return "preempted";
    }
    return "?";
}

}  // namespace sy
