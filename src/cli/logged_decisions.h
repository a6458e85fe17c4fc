// LoggedDecisions: the log that `simulate --decisions` writes, while a policy is tried.
#pragma once

#include <string>

#include "output/decision_log.h"
#include "sim/replay.h"

namespace sy::cli {

class LoggedDecisions final : public sim::Onlooker {
public:
    LoggedDecisions(const Trace& trace, bool neighbours) : trace_(trace), log_(neighbours) {}

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t, std::size_t) override {
        for (const TaskId task : decision.put_aside) log_.put_aside(at, id_of(task));
        for (const schedule::Start& start : decision.starts) log_.start(at, id_of(start.task), start.seat);
    }
    const std::string& text() const { return log_.text(); }

private:
    const std::string& id_of(TaskId task) const { return trace_.ids[task.value() - 1]; }

    const Trace& trace_;
    output::DecisionLog log_;
};

}  // namespace sy::cli
