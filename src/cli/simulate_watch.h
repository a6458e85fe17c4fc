// Watch: what `simulate` notes down while a policy is tried: the course for plots, the log of decisions, the use of
// nodes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/measure/course.h"
#include "core/measure/indicators.h"
#include "output/decision_log.h"
#include "sim/node_use.h"
#include "sim/replay.h"

namespace sy::cli {

class Watch final : public sim::Onlooker {
public:
    /// `course`: nothing where nobody will look at it.
    Watch(const Trace& trace, measure::Course* course) : trace_(trace), course_(course) {}
    void keep_log(bool neighbours) { log_.emplace(neighbours); }
    void keep_use(std::span<const NodeSpec> nodes) { use_.emplace(nodes); }
    bool is_idle() const { return course_ == nullptr && !log_ && !use_; }

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t busy, std::size_t waiting) override {
        if (course_ != nullptr) course_->set(at, static_cast<double>(busy), static_cast<double>(waiting));
        if (use_) use_->decided(at, decision, busy, waiting);
        if (!log_) return;
        for (const TaskId task : decision.put_aside) log_->put_aside(at, id_of(task));
        for (const schedule::Start& start : decision.starts) log_->start(at, id_of(start.task), start.seat);
    }
    void left(Instant at, TaskId task) override {
        if (use_) use_->left(at, task);
    }

    std::string log() const { return log_ ? log_->text() : std::string(); }
    double node_balance() const { return use_ ? measure::jain_index(use_->per_gpu_s()) : 1; }

private:
    const std::string& id_of(TaskId task) const { return trace_.ids[task.value() - 1]; }

    const Trace& trace_;
    measure::Course* course_;
    std::optional<output::DecisionLog> log_;
    std::optional<sim::NodeUse> use_;
};

}  // namespace sy::cli
