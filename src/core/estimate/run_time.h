// RunTime: how long a job will run, guessed from those that have ended (P17b, S9).
//
// A predictor sees a job as it is submitted and, later, how long it ran. It has no clock and no chance of its own: what
// it predicts depends on what it has learned and in which order, and on nothing else. Predicting teaches it nothing.
// Its figures are guesses and may be wrong by any factor: good for ranking jobs, never for promising an end.
//
// To add one: derive, add a line to registry.cc, write the test.
#pragma once

#include "base/codec.h"
#include "base/time.h"
#include "core/model/job.h"

namespace sy::estimate {

/// What is known of a job when it comes. Names are numbers; 0 where nothing was said.
struct JobFeatures {
    NameId user;
    NameId model;
    NameId name;
    GpuCount gpus = 1;
    Duration estimate{};  ///< Its owner's; zero where nothing was said.
    Instant submit;
    Level level = Level::normal;

    friend bool operator==(const JobFeatures&, const JobFeatures&) = default;
};

inline JobFeatures features_of(const Trace& trace, const Job& job) {
    return {job.user, job.model, job.name, trace.demand_of(job).gpus, job.estimate, job.submit, job.level};
}

/// What is predicted while nothing is known.
inline constexpr Duration kUnknownRun = 1h;
/// Predictions lie between these. The longest, times the 256 GPUs of the largest node, is still a Duration.
inline constexpr Duration kShortestRun = 1ms;
inline constexpr Duration kLongestRun = 24h * 365;

class RunTime {
public:
    virtual ~RunTime() = default;

    virtual Duration predict(const JobFeatures& job) const = 0;
    /// The job has ended. To be called in order of ending, once for each job.
    virtual void learn(const JobFeatures& job, Duration actual) = 0;

    /// Whether what it has learned can be kept as bytes, and that; `load` is false where they cannot be its own.
    virtual bool can_be_saved() const { return false; }
    virtual void save(ByteWriter&) const {}
    virtual bool load(ByteReader&) { return false; }
};

}  // namespace sy::estimate
