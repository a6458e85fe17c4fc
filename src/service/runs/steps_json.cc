// The workflows of a run as graphs: which step needs which, and how far each has come over all requests.
#include "service/runs/run.h"

namespace sy::runs {

namespace {

using execute::Stand;

struct Counts {
    std::uint64_t succeeded = 0;
    std::uint64_t failed = 0;
    std::uint64_t running = 0;
};

double seconds_of(const Step& step) {
    for (const auto& seconds : step.seconds)
        if (seconds) return *seconds;
    return 0;
}

}  // namespace

Json Run::workflows() const {
    const Batch& all = batch();
    std::vector<std::uint64_t> requests(all.workflows.size());
    std::vector<std::vector<Counts>> counts;
    for (const Workflow& workflow : all.workflows) counts.emplace_back(workflow.steps.size());
    for (std::uint32_t r = 0; r < all.requests.size(); ++r) {
        const std::uint32_t workflow = all.requests[r].workflow;
        ++requests[workflow];
        for (std::uint32_t s = 0; s < counts[workflow].size() && conductor_; ++s) {
            const JobIndex job = problem_.jobs().first_of(r) + s;
            const Stand stand = conductor_->stand(job);
            Counts& sum = counts[workflow][s];
            if (stand == Stand::failed || !jobs_[job].error.empty())
                ++sum.failed;
            else if (stand == Stand::done)
                ++sum.succeeded;
            else if (stand == Stand::running)
                ++sum.running;
        }
    }
    Json rows = Json::array();
    for (std::size_t w = 0; w < all.workflows.size(); ++w) {
        Json steps = Json::array();
        for (std::size_t s = 0; s < counts[w].size(); ++s) {
            const Step& step = all.workflows[w].steps[s];
            Json needs = Json::array();
            for (const std::uint32_t need : step.needs) needs.push_back(all.workflows[w].steps[need].name);
            const Counts& sum = counts[w][s];
            steps.push_back(
                {{"name", step.name},
                 {"model", all.models[step.model.value()].name},
                 {"needs", needs},
                 {"seconds", seconds_of(step)},
                 {"counts", {{"succeeded", sum.succeeded}, {"failed", sum.failed}, {"running", sum.running}}}});
        }
        rows.push_back({{"name", all.workflows[w].name}, {"requests", requests[w]}, {"steps", std::move(steps)}});
    }
    return rows;
}

}  // namespace sy::runs
