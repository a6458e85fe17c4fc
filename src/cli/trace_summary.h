// What is in a trace, for people and for programs: the commands that read or make one end with it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/model/job.h"

namespace sy::cli {

/// A few lines, indented by two spaces.
std::string trace_summary(const Trace& trace);
nlohmann::ordered_json trace_summary_json(const Trace& trace);

}  // namespace sy::cli
