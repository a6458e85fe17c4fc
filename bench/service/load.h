// Load: tasks handed in over many lines at once, by one thread, and waited for.
//
// Each line sends its next request when the last one was answered, so never more than `connections` are under way. The
// rates are of wall time: from the first request to the last answer, and to the moment when nothing waits or runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace sy::bench {

struct LoadWish {
    std::string server;  ///< "unix:/path/api.sock" or "http://127.0.0.1:7878".
    std::string task;    ///< As JSON.
    std::uint64_t tasks = 1000;
    std::uint64_t connections = 50;
    std::uint64_t each = 1;  ///< Tasks a request.
    pid_t service = 0;       ///< Whose processor time is counted, with all below it; 0: nobody's.
    bool wait = true;        ///< For the end of all of them.
};

struct LoadFigures {
    std::uint64_t tasks = 0;
    double accepted_per_s = 0;
    double ended_per_s = 0;  ///< 0 where it was not waited for.
    double submit_p50_us = 0;
    double submit_p99_us = 0;
    double client_us = 0;   ///< Processor time a task.
    double service_us = 0;  ///< Likewise of server, workers and all they started.
};

/// Every task must be taken, and end well where it is waited for.
Result<LoadFigures> load(const LoadWish& wish);

/// The value at this part of the way from the least to the greatest; 0 of none.
double percentile(std::vector<double>& values, double part);

}  // namespace sy::bench
