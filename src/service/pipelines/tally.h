// Tally: what passed through a pipeline since the service began: requests and how they ended, how long they took, what
// nodes were told to load (L14).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "core/pipeline/members/crew_event.h"
#include "service/metrics/histogram.h"

namespace sy::pipelines {

/// How a request is over: it was said to have ended, never got a way, lost the one it had, or nobody waited for it.
enum class End : std::uint8_t { ended, refused, failed, gone };
inline constexpr std::array kEnds{End::ended, End::refused, End::failed, End::gone};
std::string_view name_of(End end);

inline constexpr std::array kPlans{pipeline::Plan::placed, pipeline::Plan::mended, pipeline::Plan::filled,
                                   pipeline::Plan::shifted};
std::string_view name_of(pipeline::Plan plan);

class Tally {
public:
    /// It is under way or waits from now on; one that is known asks again.
    void ask(RequestId request, Instant now) { open_.try_emplace(request, Open{now}); }
    /// It has a way; the first one counts.
    void give(RequestId request, Instant now);
    void reroute() { ++rerouted_; }
    /// One that is not known is left out.
    void end(RequestId request, End how, Instant now);
    void lose_node() { ++lost_nodes_; }
    void rebalance(const pipeline::Rebalanced& done);

    std::uint64_t given() const { return given_; }
    std::uint64_t rerouted() const { return rerouted_; }
    std::uint64_t ended(End how) const { return ended_[static_cast<std::size_t>(how)]; }
    std::uint64_t lost_nodes() const { return lost_nodes_; }
    std::uint64_t rebalanced(pipeline::Plan plan) const { return plans_[static_cast<std::size_t>(plan)]; }
    std::uint64_t rebalanced() const;
    std::uint64_t moved_bytes() const { return moved_bytes_; }
    /// Seconds from being asked for to the first way, and to the end of those that ended.
    const metrics::Histogram& waits() const { return waits_; }
    const metrics::Histogram& latencies() const { return latencies_; }

private:
    struct Open {
        Instant asked;
        bool has_had_way = false;
    };

    std::map<RequestId, Open> open_;
    std::uint64_t given_ = 0;
    std::uint64_t rerouted_ = 0;
    std::array<std::uint64_t, kEnds.size()> ended_{};
    std::array<std::uint64_t, kPlans.size()> plans_{};
    std::uint64_t moved_bytes_ = 0;
    std::uint64_t lost_nodes_ = 0;
    metrics::Histogram waits_{metrics::kWaitBounds};
    metrics::Histogram latencies_{metrics::kWaitBounds};
};

}  // namespace sy::pipelines
