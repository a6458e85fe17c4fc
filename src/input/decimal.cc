// Problem: a time such as 0.1 or 1e-3 must come out as the exact number of nanoseconds. A double cannot hold either,
// and two files that say the same in different spellings must give the same schedule. Choice: digits are numbered
// through, the point and the exponent only say how many of them stand before the point of the result. Those are added
// up in an integer, the next one decides the rounding, the rest cannot matter. Cost: one pass over the digits; plain
// whole numbers, which is most of a trace, leave after the first loop.
#include "input/decimal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace sy::input {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kPlaces = 9;
/// Exponents beyond this change nothing that fits a file we read.
constexpr std::int64_t kLargestExponent = std::int64_t{1} << 40;

std::size_t count_digits(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    return n;
}

/// What follows the `e`.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || count_digits(text) != text.size()) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) value = std::min(value * 10 + (c - '0'), kLargestExponent);
    return negative ? -value : value;
}

/// The digits of a number on both sides of its point, as one row.
struct Digits {
    std::string_view whole;
    std::string_view fraction;

    std::size_t size() const { return whole.size() + fraction.size(); }
    std::uint64_t at(std::size_t i) const {
        const char c = i < whole.size() ? whole[i] : i < size() ? fraction[i - whole.size()] : '0';
        return static_cast<std::uint64_t>(c - '0');
    }
};

/// The first `keep` digits as an integer, rounded by the one behind them. Digits behind the last are zeros.
std::uint64_t take(const Digits& digits, std::int64_t keep) {
    std::size_t first = 0;
    while (first < digits.size() && digits.at(first) == 0) ++first;
    if (first == digits.size() || keep < static_cast<std::int64_t>(first)) return 0;
    const std::int64_t places = keep - static_cast<std::int64_t>(first);
    if (places > std::numeric_limits<std::uint64_t>::digits10 + 1) return kLargest;
    const std::size_t end = first + static_cast<std::size_t>(places);
    std::uint64_t value = 0;
    for (std::size_t i = first; i < end; ++i) {
        if (value > (kLargest - digits.at(i)) / 10) return kLargest;
        value = value * 10 + digits.at(i);
    }
    return digits.at(end) >= 5 && value < kLargest ? value + 1 : value;
}

constexpr std::array<std::uint64_t, kPlaces + 1> kPowers{kBillion, 100'000'000, 10'000'000, 1'000'000, 100'000,
                                                         10'000,   1'000,       100,        10,        1};

/// Digits, and at most nine more behind a point: nothing where there is more to it.
std::optional<std::uint64_t> parse_short(std::string_view text) {
    constexpr std::size_t kSurelyFits = 18;
    if (text.size() > kSurelyFits) return std::nullopt;
    std::uint64_t value = 0;
    std::size_t i = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
    const std::size_t point = i;
    if (point == 0 || point > kSurelyFits - kPlaces) return std::nullopt;
    if (i < text.size() && text[i] == '.')
        for (++i; i < text.size() && is_digit(text[i]); ++i)
            value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (i < text.size()) return std::nullopt;
    const std::size_t behind = point == text.size() ? 0 : text.size() - point - 1;
    if (behind > kPlaces) return std::nullopt;
    return value * kPowers[behind];
}

}  // namespace

std::optional<Billionths> parse_billionths(std::string_view text) {
    if (const auto count = parse_short(text)) return Billionths{*count, false};
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    Digits digits;
    digits.whole = text.substr(0, count_digits(text));
    text.remove_prefix(digits.whole.size());
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        digits.fraction = text.substr(0, count_digits(text));
        text.remove_prefix(digits.fraction.size());
    }
    if (digits.size() == 0) return std::nullopt;
    std::int64_t exponent = 0;
    if (!text.empty()) {
        if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
        const auto parsed = parse_exponent(text.substr(1));
        if (!parsed) return std::nullopt;
        exponent = *parsed;
    }
    const std::uint64_t count = take(digits, static_cast<std::int64_t>(digits.whole.size()) + exponent + kPlaces);
    return Billionths{count, negative && count > 0};
}

}  // namespace sy::input
