// The naive twin of the simulator: the rules written down once more, as plainly as they can be said.
//
// It scans, sorts and adds up everything anew at every step, so that each rule can be found in it and seen to be right;
// the engine must give the same outcome to the nanosecond. It shares the nouns of core/model and no other code.
// It counts GPUs, CPUs, host memory and network; the kind of a GPU and its memory mean nothing to it. It trusts its
// caller: names are known, jobs stand by submit, every job asks for a GPU and can run on the empty cluster, and what a
// restart costs is less than a slice earns (otherwise a run need not end; a check stops it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"
#include "core/model/outage.h"

namespace sy::naive {

struct Options {
    std::string order = "fcfs";    ///< fcfs sjf smallest edf priority predicted fair; srtf srsf rr mlfq las.
    std::string fit = "strict";    ///< strict skip easy conservative; preemptive orders do not ask.
    std::string place = "count";   ///< count consolidate spread best-fit first-fit fragmentation.
    bool neighbours = false;       ///< A job's GPUs on a node are consecutive.
    bool preempt = false;          ///< For smallest, which can be had either way.
    Duration slice = 1h;           ///< Of rr and las.
    std::vector<Duration> limits;  ///< Of mlfq's queues but the last, growing.
    bool gpu_seconds = false;      ///< Service in mlfq and las is time × GPUs.
    Duration boost{};              ///< Of mlfq; 0: none.
    Duration restart_cost{};
    Duration aging{};                     ///< Of priority; 0: none.
    std::vector<Outage> outages;          ///< Of each node one after another.
    std::vector<std::int64_t> predicted;  ///< By job, for the order of that name.
};

struct Outcome {
    Instant start;  ///< The first.
    Instant end;
    std::uint32_t preemptions = 0;
    std::uint32_t broken_off = 0;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// What becomes of each job, in the order of the trace.
std::vector<Outcome> simulate(const Trace& trace, const std::vector<NodeSpec>& nodes, const Options& options);

}  // namespace sy::naive
