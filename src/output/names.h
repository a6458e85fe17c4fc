// Names: what people call each job of a batch.
#pragma once

#include <string>
#include <vector>

#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::output {

/// Keeps a reference to the batch, which must outlive it.
class Names {
public:
    explicit Names(const Batch& batch) : batch_(batch) {
        for (std::uint32_t r = 0; r < batch.requests.size(); ++r) {
            first_.push_back(static_cast<JobIndex>(request_.size()));
            request_.insert(request_.end(), batch.workflows[batch.requests[r].workflow].steps.size(), r);
        }
    }

    std::uint32_t request_number(JobIndex job) const { return request_[job]; }
    std::uint32_t step_number(JobIndex job) const { return job - first_[request_[job]]; }
    ModelId model_id(JobIndex job) const { return step(job).model; }

    const std::string& request(JobIndex job) const { return batch_.requests[request_[job]].id; }
    const Step& step(JobIndex job) const {
        return batch_.workflows[batch_.requests[request_[job]].workflow].steps[step_number(job)];
    }
    const std::string& model(JobIndex job) const { return batch_.models[step(job).model.value()].name; }

private:
    const Batch& batch_;
    std::vector<std::uint32_t> request_;  ///< By job.
    std::vector<JobIndex> first_;         ///< By request.
};

}  // namespace sy::output
