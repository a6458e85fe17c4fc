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

Jobs::Jobs(const Batch& batch) : time_(batch.kinds.size()) {
    std::vector<std::uint32_t> first_row;
    for (const Workflow& workflow : batch.workflows) {
        first_row.push_back(static_cast<std::uint32_t>(rows_.size()));
        add_rows(workflow);
    }
    std::size_t count = 0;
    for (const Request& request : batch.requests) {
        first_.push_back(static_cast<JobIndex>(count));
        count += batch.workflows[request.workflow].steps.size();
    }
    row_.reserve(count);
    request_.reserve(count);
    least_.reserve(count);
    for (auto& on_kind : time_) on_kind.reserve(count);
    for (std::uint32_t r = 0; r < batch.requests.size(); ++r) add_jobs(batch, r, first_row[batch.requests[r].workflow]);
}

void Jobs::add_rows(const Workflow& workflow) {
    const auto successors = successors_of(workflow);
    const auto link = [this](const std::vector<std::uint32_t>& steps) {
        links_.insert(links_.end(), steps.begin(), steps.end());
        return static_cast<std::uint32_t>(links_.size());
    };
    for (std::uint32_t s = 0; s < workflow.steps.size(); ++s) {
        const Step& step = workflow.steps[s];
        Row row{step.model, s, step.level, static_cast<std::uint32_t>(links_.size()), 0, 0};
        row.needs_end = link(step.needs);
        row.successors_end = link(successors[s]);
        rows_.push_back(row);
    }
}

void Jobs::add_jobs(const Batch& batch, std::uint32_t request, std::uint32_t first_row) {
    const double scale = batch.requests[request].scale;
    for (const Step& step : batch.workflows[batch.requests[request].workflow].steps) {
        row_.push_back(first_row++);
        request_.push_back(request);
        Duration least = Duration::max();
        for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind) {
            const auto seconds = step.seconds[kind];
            const Duration time = seconds ? Duration(std::llround(*seconds * scale * 1e9)) : kCannotRun;
            time_[kind].push_back(time);
            if (seconds) least = std::min(least, time);
        }
        least_.push_back(least);
    }
}

std::vector<JobIndex> successors_first(const Jobs& jobs) {
    std::vector<std::uint32_t> open(jobs.size());
    std::vector<JobIndex> order;
    order.reserve(jobs.size());
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        jobs.for_each_successor(job, [&](JobIndex) { ++open[job]; });
        if (open[job] == 0) order.push_back(job);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        jobs.for_each_need(order[i], [&](JobIndex need) {
            if (--open[need] == 0) order.push_back(need);
        });
    return order;
}

}  // namespace sy::plan
