// Arrivals: how many tokens a second requests asked for, over the last while (L9).
//
// Counted in kParts parts of the horizon, so the oldest part falls out at once: O(1) for each request, whatever the
// rate. Before a whole horizon has passed, what passed counts, but one part of it at least: a first request is no
// storm.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "base/wide.h"
#include "core/pipeline/costs.h"

namespace sy::pipeline {

class Arrivals {
public:
    static constexpr std::int64_t kParts = 60;

    explicit Arrivals(Duration horizon) : part_(std::max(Duration(1), horizon / kParts)) {}

    /// More than these of one request are a mistake, and count as these: no sum of real ones overflows.
    static constexpr std::uint64_t kMostTokens = 1'000'000'000;

    /// Time must not run backwards.
    void note(std::uint64_t tokens, Instant now) {
        move_to(now);
        tokens = std::min(tokens, kMostTokens);
        if (!first_) first_ = now;
        tokens_[at()] += tokens;
        sum_ += tokens;
    }

    /// Tokens asked for in a second, in the mean over the horizon.
    Rate rate(Instant now) const {
        if (!first_) return 0;
        const std::int64_t begun = (now - kStart) / part_;
        const Instant window = kStart + part_ * std::max<std::int64_t>(0, begun - kParts + 1);
        const Duration seen = std::max(part_, now - std::max(window, *first_));
        const UnsignedWide a_second =
            UnsignedWide{sum_at(begun)} * kTokenPerSecond * 1'000'000'000 / static_cast<std::uint64_t>(seen.count());
        return static_cast<Rate>(std::min<UnsignedWide>(kNoLimit, a_second));
    }

private:
    std::size_t at() const { return static_cast<std::size_t>(now_part_ % kParts); }
    /// Without the parts that have fallen out by then.
    std::uint64_t sum_at(std::int64_t part) const {
        std::uint64_t sum = sum_;
        for (std::int64_t gone = 1; gone <= std::min(kParts, part - now_part_); ++gone)
            sum -= tokens_[static_cast<std::size_t>((now_part_ + gone) % kParts)];
        return sum;
    }
    void move_to(Instant now) {
        const std::int64_t part = (now - kStart) / part_;
        for (std::int64_t gone = std::min(kParts, part - now_part_); gone > 0; --gone) {
            ++now_part_;
            sum_ -= tokens_[at()];
            tokens_[at()] = 0;
        }
        now_part_ = part;
    }

    Duration part_;
    std::int64_t now_part_ = 0;
    std::optional<Instant> first_;
    std::array<std::uint64_t, kParts> tokens_{};
    std::uint64_t sum_ = 0;
};

}  // namespace sy::pipeline
