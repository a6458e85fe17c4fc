// Ahead of time: short calls of a model are handed to a GPU that runs one like them before that has ended, so that the
// GPU need not wait for our disk between two of them. Only the first in line is handed out so, and only so much that
// the GPU should be through with it in `settings.ahead`: nobody who comes later waits longer for it than that. Where
// the call under way takes longer than expected, those behind it are called back.
#include <algorithm>

#include "core/control/core.h"

namespace sy::control {

namespace {

constexpr std::size_t kMostBehind = 64;
constexpr Duration kShortestCall = 1us;
/// Hosts that are looked at for one task; with so many unsuitable ones it may as well wait.
constexpr std::size_t kMostLooks = 16;
constexpr std::int64_t kForgetting = 8;
constexpr Duration kLongestCall = 24h;

}  // namespace

/// A longer call counts at once, shorter ones little by little: a guess that is too high only costs speed.
void Core::learn_call_time(const Task& task, const Report& report) {
    const bool called = report.ran > Duration::zero();  // and not only loaded
    if (task.spec.model == NameId{} || report.outcome != Outcome::succeeded || !called) return;
    const Duration ran = std::min(report.ran, kLongestCall);
    const auto known = call_times_.try_emplace(task.spec.model, ran).first;
    const Duration excess = known->second - ran;
    known->second = excess > Duration::zero() ? known->second - excess / kForgetting : ran;
}

std::optional<Duration> Core::expected_run(const TaskSpec& spec) const {
    if (spec.estimate > Duration::zero()) return spec.estimate;
    const auto known = call_times_.find(spec.model);
    return known == call_times_.end() ? std::nullopt : std::optional(known->second);
}

std::size_t Core::most_behind(NameId model) const {
    const auto known = call_times_.find(model);
    if (known == call_times_.end()) return 0;
    return std::min(kMostBehind, static_cast<std::size_t>(settings_.ahead / std::max(known->second, kShortestCall)));
}

bool Core::is_overdue(GpuId gpu) const {
    return now_ - tasks_.find(*ledger_.holder(gpu))->since >= settings_.ahead;
}

std::optional<GpuId> Core::gpu_to_stand_behind(const Task& task) const {
    if (task.spec.model == NameId{} || task.spec.at_most_once) return std::nullopt;
    const std::size_t most = most_behind(task.spec.model);
    const auto suits = [&](GpuId gpu) {
        const Task& holder = *tasks_.find(*ledger_.holder(gpu));
        const bool goes_on = holder.state == TaskState::running && !is_overdue(gpu) && ledger_.takes_work(gpu);
        return goes_on && is_alike(holder.spec, task.spec);
    };
    if (task.spec.demand.is_tied()) {
        const GpuId gpu = task.spec.demand.on.first;
        const bool hosts = succession_.is_host(gpu, task.spec.model) && succession_.behind(gpu).size() < most;
        return hosts && suits(gpu) ? std::optional(gpu) : std::nullopt;
    }
    std::size_t looks = 0;
    for (const auto& [behind, gpu] : succession_.hosts(task.spec.model)) {
        if (behind >= most || ++looks > kMostLooks) break;
        if (suits(gpu)) return gpu;
    }
    return std::nullopt;
}

void Core::hand_out_ahead() {
    while (const auto first = scheduler_.first_in_line()) {
        Task& task = *tasks_.find(*first);
        const auto gpu = gpu_to_stand_behind(task);
        if (!gpu) return;
        scheduler_.call_up(*first);
        succession_.add(*gpu, *first);
        number_attempt(task, {*gpu, 1});
        load_beside(task);
        send_start(*first, task);
        if (look_due_ != kNever) continue;
        look_due_ = later(now_, 2 * settings_.ahead);
        if (look_due_ < wake_) plan_wake_up();
    }
}

void Core::call_back_who_waits_too_long() {
    if (now_ < look_due_) return;
    look_due_ = succession_.crowded().empty() ? kNever : later(now_, 2 * settings_.ahead);
    for (const GpuId gpu : succession_.crowded())
        if (is_overdue(gpu)) stop_those_behind(gpu, StopCause::recalled);
}

void Core::stop_those_behind(GpuId gpu, StopCause cause) {
    for (const TaskId id : succession_.behind(gpu))
        if (Task& task = *tasks_.find(id); task.state == TaskState::running) stop(id, task, cause);
}

void Core::void_those_behind(GpuId gpu, VoidCause cause) {
    while (!succession_.behind(gpu).empty()) {
        const TaskId last = succession_.behind(gpu).back();
        void_attempt(last, *tasks_.find(last), cause);
    }
}

/// The fence of the one before it on its GPU; none where it is the first.
Fence Core::who_stands_before(TaskId id, const Task& task) const {
    const std::span<const TaskId> behind = succession_.behind(task.span.lead());
    const auto own = std::find(behind.rbegin(), behind.rend(), id);
    if (own == behind.rend()) return {};
    const TaskId before = own + 1 == behind.rend() ? *ledger_.holder(task.span.lead()) : *(own + 1);
    return tasks_.find(before)->fence;
}

/// The GPU goes from one call to the next without being free in between.
void Core::pass_on(TaskId from, const Task& task, TaskId to) {
    const GpuId gpu = task.span.lead();
    succession_.remove(gpu, to);
    ledger_.pass_on(gpu, from, to);
    scheduler_.hand_over(from, to, now_);
    Task& next = *tasks_.find(to);
    next.since = now_;
    if (!shelves_.is_in_use(gpu, next.spec.model)) clear_the_way(next);
}

}  // namespace sy::control
