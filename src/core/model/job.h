// Job: work as a trace tells it: when it came, how long it ran, what it asked for.
//
// A trace is what happened or what might; nothing in it changes while policies are tried on it. Texts are kept once, in
// tables, and jobs hold numbers: entry 0 of every table means that nothing was said.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "core/model/gpu.h"
#include "core/model/task.h"

namespace sy {

/// The place of a demand in a trace's table: jobs that ask for the same share one.
using DemandId = Id<struct DemandTag, std::uint32_t>;

/// What kind of work a job is (S2).
enum class Work : std::uint8_t { batch, online, stream };
constexpr Work last_of(Work) {
    return Work::stream;
}

struct Job {
    Instant submit;
    Duration length{};    ///< How long it really runs, on what it asked for.
    Duration estimate{};  ///< What its owner expected; zero where nothing was said.
    Instant deadline = kNever;
    NameId user;
    NameId model;
    NameId name;  ///< What its owner called it; many jobs may share one.
    DemandId demand;
    Level level = Level::normal;
    Work work = Work::batch;

    friend bool operator==(const Job&, const Job&) = default;
};

struct Trace {
    std::vector<Job> jobs;         ///< By submit; equal instants in the order of the file.
    std::vector<std::string> ids;  ///< Of the jobs, as the file calls them; unique.
    std::vector<Demand> demands;
    std::vector<std::string> users{""};
    std::vector<std::string> models{""};
    std::vector<std::string> names{""};
    std::vector<std::string> kinds{""};  ///< Of GPUs; Demand::kind and NodeSpec::kind point here.

    const Demand& demand_of(const Job& job) const { return demands[job.demand.value()]; }

    friend bool operator==(const Trace&, const Trace&) = default;
};

/// One machine (S1). What was not said is without limit.
struct NodeSpec {
    GpuCount gpus = 0;
    KindId kind;
    Bytes gpu_memory{std::numeric_limits<std::uint64_t>::max()};  ///< Of each GPU.
    std::uint32_t cpus = std::numeric_limits<std::uint32_t>::max();
    Bytes host_memory{std::numeric_limits<std::uint64_t>::max()};
    Bytes network{std::numeric_limits<std::uint64_t>::max()};  ///< A second.

    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// Machines to try policies on.
struct Cluster {
    std::vector<NodeSpec> nodes;
    std::vector<std::string> kinds{""};  ///< NodeSpec::kind points here, until join_kinds.

    friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// All its GPUs.
std::uint64_t gpus_of(const Cluster& cluster);

/// A trace and a cluster come with a table of kinds each. Makes both the same, so that their numbers can be compared.
void join_kinds(Trace& trace, Cluster& cluster);

const char* name_of(Work work);

}  // namespace sy
