#include "base/time.h"

#include <charconv>

#include <fmt/core.h>

namespace sy {

namespace {
constexpr std::size_t kDigits = 9;
constexpr std::int64_t kSecond = 1'000'000'000;
}  // namespace

std::string seconds_text(Duration d) {
    const bool negative = d < Duration::zero();
    const auto count = negative ? 0 - static_cast<std::uint64_t>(d.count()) : static_cast<std::uint64_t>(d.count());
    std::string text = fmt::format("{}{}.{:09}", negative ? "-" : "", count / kSecond, count % kSecond);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::optional<Duration> parse_seconds(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
    if (fraction.size() > kDigits) return std::nullopt;
    fraction.resize(kDigits, '0');
    const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty() || digits.front() == '-' || error != std::errc{} || end != digits.data() + digits.size())
            return std::nullopt;
        return value;
    };
    const auto seconds = number(whole);
    const auto nanos = number(fraction);
    if (!seconds || !nanos || *seconds >= Duration::max().count() / kSecond) return std::nullopt;
    const Duration d(*seconds * kSecond + *nanos);
    return negative ? -d : d;
}

}  // namespace sy
