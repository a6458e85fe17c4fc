// SWF: logs of parallel machines in the Standard Workload Format, as traces.
//
// The format (Feitelson and others, version 2.2) has 18 numbers a line, -1 where unknown, and comments behind `;`.
// Processors become GPUs: what was requested, or what was allocated where no request is known. What cannot be replayed
// is left out and counted, never guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"

namespace sy::input {

struct SwfLog {
    Trace trace;
    std::uint64_t max_procs = 0;     ///< Of the machine, as the header says; 0 where it does not.
    std::uint64_t lines = 0;         ///< That describe jobs.
    std::uint64_t never_ran = 0;     ///< Left out: cancelled or failed before they ran, or of unknown run time.
    std::uint64_t partial = 0;       ///< Left out: parts of a job that has a line of its own.
    std::uint64_t without_size = 0;  ///< Left out: processors unknown.
    std::uint64_t without_time = 0;  ///< Left out: submit time unknown.
    std::uint64_t out_of_order = 0;  ///< Submitted before an earlier line's job, and put in its place.
};

Result<SwfLog> read_swf(std::string_view text, const std::string& file_name);

}  // namespace sy::input
