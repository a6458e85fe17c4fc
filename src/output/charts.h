// Charts: a plan as pictures. Chrome trace events for Perfetto, an SVG, and an HTML page that needs nothing else.
#pragma once

#include <string>

#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::output {

/// One lane for each GPU; switches are events of their own. Opens in Perfetto and chrome://tracing.
std::string plan_trace(const Batch& batch, const Plan& plan);
/// A Gantt chart. Runs of one model are drawn as one bar where there are too many jobs to tell apart.
std::string plan_svg(const Batch& batch, const Plan& plan);
/// The chart with zoom, pan and what each bar is.
std::string plan_html(const Batch& batch, const Plan& plan);
/// The same of a batch that was run: what was planned above what happened, GPU by GPU.
std::string run_html(const Batch& batch, const Plan& planned, const Plan& actual);

}  // namespace sy::output
