// Studies as JSON: the figures that `simulate --json` prints, and beside them what charts are drawn from. The live
// service answers with the same, and the report of `simulate` carries it for its script.
#pragma once

#include <cstddef>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "core/measure/study.h"
#include "core/model/job.h"

namespace sy::output {

/// The figures of one policy.
nlohmann::ordered_json study_json(const measure::Study& study);

/// For charts: the course of things, quantiles of the completion times, who ran where and when. Times are seconds from
/// the study's zero, to a millisecond.
nlohmann::ordered_json chart_json(const measure::Study& study);

/// What a chart says of the jobs that any of the studies shows, by their number in the trace: what they are called,
/// what they ask for, and a group for their colour.
nlohmann::ordered_json jobs_json(const Trace& trace, std::span<const measure::Study> studies);

}  // namespace sy::output
