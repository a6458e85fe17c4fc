// Measures: what the service counts of what happens (G11), from changes as they become durable. What the brain counts
// itself is in its tally and not counted again.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/control/core.h"
#include "service/metrics/histogram.h"
#include "service/server/change.h"

namespace sy::server {

class Measures {
public:
    static constexpr std::size_t kLevels = static_cast<std::size_t>(last_of(Level{})) + 1;
    /// Attempts that came to nothing, by why.
    struct Failures {
        std::uint64_t failed = 0;
        std::uint64_t timed_out = 0;
        std::uint64_t lost = 0;
    };

    /// Goes on from where the brain stands.
    explicit Measures(const control::Core& core);

    void see(const Change& change);

    std::uint64_t queued(Level level) const { return queued_[static_cast<std::size_t>(level)]; }
    /// Seconds from submission, or from the last return to the queue, to the start.
    const metrics::Histogram& waits(Level level) const { return waits_[static_cast<std::size_t>(level)]; }
    const Failures& failures() const { return failures_; }
    /// Attempts started there, gangs on each of their GPUs.
    std::uint64_t started_on(GpuId gpu) const { return gpu.value() < starts_.size() ? starts_[gpu.value()] : 0; }
    std::uint64_t workers_lost() const { return workers_lost_; }

private:
    void see_task(const TaskChange& change);
    void see_start(const TaskChange& change);

    std::array<std::uint64_t, kLevels> queued_{};
    std::vector<metrics::Histogram> waits_;
    Failures failures_;
    std::vector<std::uint64_t> starts_;
    std::uint64_t workers_lost_ = 0;
    Instant begun_;
    std::unordered_map<std::uint64_t, Instant> back_since_;  ///< Tasks that came back into the queue.
};

}  // namespace sy::server
