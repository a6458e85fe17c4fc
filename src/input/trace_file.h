// Trace file: CSV with a header to a Trace that policies can be tried on. docs/traces.md says what it may hold.
//
// Columns stand in any order. Rows stand by submit_s, ids are unique, and every job could end within the two centuries
// that time goes on for; nothing else is asked of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"

namespace sy::input {

struct TraceFile {
    Trace trace;
    std::vector<std::string> warnings;  ///< What was passed over or looks odd: one sentence each, with its place.
};

/// The trace alone. Refuses what breaks a rule (Fault::invalid_input).
Result<Trace> read_trace(std::string_view text, const std::string& file_name);
/// The same, and what a user should know of it.
Result<TraceFile> read_trace_file(std::string_view text, const std::string& file_name);

/// Where a job's cell stands, as "file:line:column"; the row's where there is no such column. Slow, for errors.
std::string place_of_job(std::string_view text, const std::string& file_name, std::size_t job, std::string_view column);

}  // namespace sy::input
