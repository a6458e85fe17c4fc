// Measured layers: how long a layer really takes on a node and a round trip between two, as they report it (L2).
//
// Means that lean towards what was reported last. What is reported is the time at work: waiting stays out of it, for
// who estimates a request's time adds the wait for the present load, and a load must not count twice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sy::estimate {

/// A mean of whole nanoseconds: of everything at first, later each sample weighs one part in kMemory.
class RecentMean {
public:
    static constexpr std::uint32_t kMemory = 16;

    /// So many samples that took `mean` on average; none change nothing.
    void add(Duration mean, std::uint32_t samples);
    /// Nothing before the first sample.
    std::optional<Duration> value() const;

    friend bool operator==(const RecentMean&, const RecentMean&) = default;

private:
    Duration mean_{};
    std::uint32_t weight_ = 0;
};

/// Nodes by their place in the mesh; kClient (core/model/mesh.h) may stand at one end of a pair.
class MeasuredLayers {
public:
    /// A step took the node so long for each layer it holds, on average of so many steps. Negative times are ignored.
    void note_layer(std::uint32_t node, Duration each, std::uint32_t steps);
    void note_rtt(std::uint32_t from, std::uint32_t to, Duration rtt, std::uint32_t samples);
    /// The node has left; whoever takes its place starts anew.
    void forget(std::uint32_t node);

    std::optional<Duration> layer(std::uint32_t node) const;
    /// Pairs count in both directions alike: a round trip has none.
    std::optional<Duration> rtt(std::uint32_t a, std::uint32_t b) const;

    struct Pair {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        Duration rtt{};
    };
    /// All that are known, by their nodes.
    std::vector<Pair> pairs() const;

private:
    std::vector<RecentMean> layers_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, RecentMean> rtts_;
};

}  // namespace sy::estimate
