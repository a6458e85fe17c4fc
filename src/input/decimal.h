// Decimal: numbers as people write them, read to the billionth without a detour through binary fractions.
//
// Nanoseconds of a time in seconds and bytes of a size in gigabytes are both billionths, so 0.1 is exactly 100,000,000.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sy::input {

inline constexpr std::uint64_t kBillion = 1'000'000'000;

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A number times a billion; halves of the last place go up, what does not fit is the largest there is.
struct Billionths {
    std::uint64_t count = 0;
    bool negative = false;  ///< Never of zero.
};

/// "12", "-0.25", ".5", "1.5e3", "+1E-2"; nothing for other text, "inf" and "nan" among it. Linear in the text's
/// length.
std::optional<Billionths> parse_billionths(std::string_view text);

}  // namespace sy::input
