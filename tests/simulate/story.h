// A story: a few jobs on a small cluster, told in a few words, and what the twin makes of it as one line of text.
#pragma once

#include <string>
#include <vector>

#include "simulate/naive.h"

namespace sy::naive {

class Story {
public:
    /// By node: its GPUs.
    explicit Story(const std::vector<GpuCount>& nodes) {
        for (const GpuCount gpus : nodes) nodes_.push_back({.gpus = gpus});
    }

    Story& job(Duration submit, Duration length, GpuCount gpus = 1) {
        Job job;
        job.submit = kStart + submit;
        job.length = length;
        job.demand = DemandId(static_cast<std::uint32_t>(trace_.demands.size()));
        trace_.demands.push_back({.gpus = gpus});
        trace_.jobs.push_back(job);
        trace_.ids.push_back("j" + std::to_string(trace_.ids.size()));
        return *this;
    }
    // These speak of the job before them.
    Story& expecting(Duration estimate) {
        trace_.jobs.back().estimate = estimate;
        return *this;
    }
    Story& due(Duration at) {
        trace_.jobs.back().deadline = kStart + at;
        return *this;
    }
    Story& of(std::uint32_t user) {
        trace_.jobs.back().user = NameId(user);
        return *this;
    }
    Story& at(Level level) {
        trace_.jobs.back().level = level;
        return *this;
    }

    /// By job: start and end in seconds, and how often it was preempted: "0-3 1-8+2".
    std::string told(const Options& options) const {
        std::string text;
        for (const Outcome& outcome : simulate(trace_, nodes_, options)) {
            text += text.empty() ? "" : " ";
            text += seconds_text(outcome.start - kStart) + "-" + seconds_text(outcome.end - kStart);
            if (outcome.preemptions > 0) text += "+" + std::to_string(outcome.preemptions);
        }
        return text;
    }

private:
    std::vector<NodeSpec> nodes_;
    Trace trace_;
};

}  // namespace sy::naive
