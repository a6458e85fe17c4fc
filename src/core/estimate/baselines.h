// The two simplest predictors: what a better one must beat.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/estimate/run_time.h"

namespace sy::estimate {

/// The mean of all run times, whoever's.
class GlobalMean final : public RunTime {
public:
    Duration predict(const JobFeatures&) const override { return ended_ == 0 ? kUnknownRun : Duration(mean_); }
    void learn(const JobFeatures&, Duration actual) override {
        mean_ += (std::clamp(actual, kShortestRun, kLongestRun).count() - mean_) / ++ended_;
    }

private:
    std::int64_t ended_ = 0;
    std::int64_t mean_ = 0;
};

/// What the owner said; kUnknownRun where that was nothing.
class OwnersWord final : public RunTime {
public:
    Duration predict(const JobFeatures& job) const override {
        return job.estimate > Duration::zero() ? std::clamp(job.estimate, kShortestRun, kLongestRun) : kUnknownRun;
    }
    void learn(const JobFeatures&, Duration) override {}
};

}  // namespace sy::estimate
