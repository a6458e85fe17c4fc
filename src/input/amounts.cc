#include "input/amounts.h"

#include <fmt/format.h>

#include "input/decimal.h"

namespace sy::input {

namespace {

struct Bounds {
    std::uint64_t least;  ///< In billionths.
    std::uint64_t most;
    std::string rule;  ///< In words.
};

std::uint64_t billionths_of(const Node& value, const std::string& what, const Bounds& bounds) {
    const auto number = value.kind == Kind::scalar ? parse_billionths(value.text) : std::nullopt;
    if (number && !number->negative && number->count >= bounds.least && number->count <= bounds.most * kBillion)
        return number->count;
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), bounds.rule),
                  "write " + bounds.rule};
}

}  // namespace

Duration seconds_of(const Node& value, const std::string& what, Duration least) {
    const std::string from = least == Duration(1) ? "above 0" : fmt::format("{} or more", seconds_text(least));
    const Bounds bounds{static_cast<std::uint64_t>(least.count()), kMostSeconds,
                        fmt::format("seconds, {} and at most {}", from, kMostSeconds)};
    return Duration(static_cast<std::int64_t>(billionths_of(value, what, bounds)));
}

Bytes gigabytes_of(const Node& value, const std::string& what, Bytes least) {
    const Bounds bounds{least.value(), kMostGb,
                        least == Bytes(0) ? fmt::format("a number from 0 to {}", kMostGb)
                                          : fmt::format("a number above 0 and at most {}", kMostGb)};
    return Bytes(billionths_of(value, what, bounds));
}

}  // namespace sy::input
