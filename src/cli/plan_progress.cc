#include "cli/plan_progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "core/model/describe.h"

namespace sy::cli {

Duration real_time() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

PlanProgress::PlanProgress(Duration bound, std::optional<Duration> until)
    : bound_(bound), until_(until), is_terminal_(isatty(STDERR_FILENO) != 0) {}

void PlanProgress::improved(Duration makespan) {
    const std::lock_guard lock(mutex_);
    if (best_ == Duration::zero() || makespan < best_) best_ = makespan;
    show_now(real_time());
}

void PlanProgress::show() {
    if (!is_terminal_) return;
    const std::lock_guard lock(mutex_);
    show_now(real_time());
}

void PlanProgress::show_now(Duration now) {
    if (!is_terminal_ || now - last_ < 100ms || best_ == Duration::zero()) return;
    last_ = now;
    fmt::print(stderr, "\r\033[Kbest {}, bound {}, gap {:.2f} %{}", describe(best_ - best_ % 1ms),
               describe(bound_ - bound_ % 1ms), 100 * (to_seconds(best_) / to_seconds(bound_) - 1), left(now));
}

std::string PlanProgress::left(Duration now) const {
    if (!until_) return "";
    return fmt::format(", {:.1f} s left", to_seconds(std::max(*until_ - now, Duration::zero())));
}

void PlanProgress::clear() {
    const std::lock_guard lock(mutex_);
    if (is_terminal_ && last_ > Duration::zero()) fmt::print(stderr, "\r\033[K");
}

}  // namespace sy::cli
