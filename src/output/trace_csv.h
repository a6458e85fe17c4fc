// Trace CSV: a trace as the file that input/trace_file.h reads, to the nanosecond and the byte.
#pragma once

#include <string>

#include "core/model/job.h"

namespace sy::output {

/// Columns that say nothing of any job are left out.
std::string trace_csv(const Trace& trace);

}  // namespace sy::output
