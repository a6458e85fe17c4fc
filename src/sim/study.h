// Study: one policy tried on a trace, and what people want to see of it. The door for whoever asks "what if": the
// command and the live service try policies by this and nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/measure/study.h"
#include "core/model/job.h"
#include "core/model/outage.h"
#include "sim/replay.h"
#include "sim/trials.h"

namespace sy::sim {

/// What policies are tried on.
struct Ground {
    const Trace& trace;
    std::span<const NodeSpec> nodes;
    OutagePlan faults = {};
    Opening opening = {};
};

/// What is to be noted down beside the figures.
struct Attention {
    bool course = false;
    std::size_t spells = 0;                       ///< At most so many; none for a chart nobody could read.
    std::vector<std::uint32_t> first_lanes = {};  ///< Of the jobs that are at work at the opening.
    Onlooker* also = nullptr;                     ///< Looks on as well, and may call it off.
};

struct Tried {
    measure::Study study;
    std::vector<Outcome> jobs;
};

/// Figures count from the submission of a job, or from the opening where that is later.
Result<Tried> try_policy(const Ground& ground, const Trial& trial, const Attention& attention);

/// What no policy can bring the mean completion time below.
double lower_bound_s(const Ground& ground);

/// More GPUs than this are no chart.
inline constexpr std::uint64_t kMostLanes = 1024;
/// What its lanes are called: "3.5" is the sixth GPU of the fourth node. None where there is no chart.
std::vector<std::string> lane_names(const Cluster& cluster);

}  // namespace sy::sim
