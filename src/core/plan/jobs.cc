#include "core/plan/jobs.h"

#include <algorithm>
#include <cmath>

namespace sy::plan {

namespace {

constexpr Duration kCannotRun{-1};

std::vector<std::vector<std::uint32_t>> successors_of(const Workflow& workflow) {
    std::vector<std::vector<std::uint32_t>> successors(workflow.steps.size());
    for (std::uint32_t s = 0; s < workflow.steps.size(); ++s)
        for (const std::uint32_t need : workflow.steps[s].needs) successors[need].push_back(s);
    return successors;
}

}  // namespace

Jobs::Jobs(const Batch& batch) : batch_(batch), time_(batch.kinds.size()) {
    for (const Workflow& workflow : batch.workflows) successors_.push_back(successors_of(workflow));
    for (std::uint32_t r = 0; r < batch.requests.size(); ++r) {
        const Request& request = batch.requests[r];
        first_.push_back(static_cast<JobIndex>(model_.size()));
        for (const Step& step : batch.workflows[request.workflow].steps) {
            model_.push_back(step.model);
            request_.push_back(r);
            Duration least = Duration::max();
            for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind) {
                const auto seconds = step.seconds[kind];
                const Duration time = seconds ? Duration(std::llround(*seconds * request.scale * 1e9)) : kCannotRun;
                time_[kind].push_back(time);
                if (seconds) least = std::min(least, time);
            }
            least_.push_back(least);
        }
    }
}

}  // namespace sy::plan
