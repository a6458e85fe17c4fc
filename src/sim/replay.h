// Replay: a trace under a policy, in virtual time.
//
// Equal instants are one event: completions, then arrivals in the order of the trace, then one decision. The decisions
// are those of core/schedule, which the live service uses as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"
#include "core/schedule/policy.h"

namespace sy::sim {

struct Outcome {
    Instant start = kNever;  ///< The first.
    Instant end = kNever;
    std::uint32_t put_aside = 0;
    std::uint32_t restarts = 0;  ///< Broken off by a fault, to start anew.
};

struct Replay {
    std::vector<Outcome> jobs;  ///< By job.
    std::uint64_t events = 0;   ///< Arrivals, completions, and wake-ups of the order.
};

/// Looks on. `busy` GPUs and `waiting` jobs hold from `at` on.
class Onlooker {
public:
    virtual ~Onlooker() = default;
    virtual void decided(Instant at, std::uint64_t busy, std::size_t waiting) = 0;
    /// In detail, for logs; called before `decided`.
    virtual void put_aside(Instant, std::uint32_t /*job*/) {}
    virtual void started(Instant, std::uint32_t /*job*/, const place::Seat&) {}
};

/// An error where a job asks for more than the cluster has, or no policy has that name.
Result<Replay> replay(const Trace& trace, std::span<const NodeSpec> nodes, const schedule::Policy& policy,
                      Onlooker* onlooker = nullptr);

}  // namespace sy::sim
