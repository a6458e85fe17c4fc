// Recent mean: how long a layer really takes on a node, or a round trip between two, as they report it (L2).
//
// A mean that leans towards what was reported last. What is reported is the time at work: waiting stays out of it, for
// who estimates a request's time adds the wait for the present load, and a load must not count twice.
#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace sy::estimate
