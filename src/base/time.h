// Time: durations and instants, in whole nanoseconds.
//
// An Instant lies on a clock that cannot be asked for the time. Whoever needs to know what time it is gets it as a
// parameter; only the live service ever reads a real clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sy {

using namespace std::chrono_literals;

using Duration = std::chrono::duration<std::int64_t, std::nano>;

/// Meets the requirements of std::chrono::time_point, but has no now().
struct Timeline {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<Timeline, Duration>;
    static constexpr bool is_steady = true;
};

using Instant = Timeline::time_point;

/// The first instant: where simulations start and what an empty record holds.
inline constexpr Instant kStart{};
/// The last instant at which anything happens: two centuries on, and far enough from kNever to add any timeout to it.
inline constexpr Instant kEnd{24h * 365 * 200};
/// Later than anything that happens.
inline constexpr Instant kNever = Instant::max();

/// `t + d`, or kNever where that would be past it.
constexpr Instant later(Instant t, Duration d) {
    return d > kNever - t ? kNever : t + d;
}

/// Exact seconds as text: "12", "0.25", "3.000000001".
std::string seconds_text(Duration d);
/// What seconds_text wrote, and any plain decimal with at most nine digits behind the point; nothing for other text.
std::optional<Duration> parse_seconds(std::string_view text);

/// For reports only: decisions are made on whole nanoseconds.
constexpr double to_seconds(Duration d) {
    return static_cast<double>(d.count()) / 1e9;
}

}  // namespace sy
