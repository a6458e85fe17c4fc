// Replay: a trace under a policy, in virtual time.
//
// Equal instants are one event: completions, then nodes that go or come back, then arrivals in the order of the trace,
// then one decision. The decisions are those of core/schedule, which the live service uses as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/measure/outcome.h"
#include "core/model/job.h"
#include "core/model/outage.h"
#include "core/schedule/policy.h"

namespace sy::sim {

using measure::Outcome;

struct Replay {
    std::vector<Outcome> jobs;  ///< By job.
    std::uint64_t events = 0;   ///< Arrivals, completions, and wake-ups of the order.
};

/// Looks on. Task n is job n - 1 of the trace; `busy` GPUs and `waiting` jobs hold from `at` on.
class Onlooker {
public:
    virtual ~Onlooker() = default;
    virtual void decided(Instant at, const schedule::Decision& decision, std::uint64_t busy, std::size_t waiting) = 0;
    /// A job has left where it ran: it ended, or was broken off.
    virtual void left(Instant, TaskId) {}
    /// Asked after each decision: false ends the replay with an error.
    virtual bool go_on() { return true; }
};

/// A trace that is taken up in the middle, as a live queue is. Nothing starts before `at`; who came earlier keeps the
/// time at which it came. The first `running` jobs are at work: they are given their places before anybody else is
/// looked at, and their length is what they have left.
struct Opening {
    Instant at = kStart;
    std::size_t running = 0;
};

/// The first job that could not start even if it had the cluster to itself.
std::optional<std::size_t> first_that_never_runs(const Trace& trace, std::span<const NodeSpec> nodes,
                                                 const std::string& place);
/// What a job asks for, in words.
std::string wish(const Trace& trace, std::size_t job);

/// An error where a job could never run, or no policy has that name. Jobs stand by when they come: by submit, those
/// before the opening as their owner has them in line.
Result<Replay> replay(const Trace& trace, std::span<const NodeSpec> nodes, const schedule::Policy& policy,
                      Onlooker* onlooker = nullptr, const OutagePlan& faults = {}, const Opening& opening = {});

}  // namespace sy::sim
