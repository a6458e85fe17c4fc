#include "input/decimal.h"

#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::input {
namespace {

std::string read(std::string_view text) {
    const auto number = parse_billionths(text);
    if (!number) return "none";
    return fmt::format("{}{}", number->negative ? "-" : "", number->count);
}

TEST(Decimal, IsExactToTheBillionth) {
    EXPECT_EQ(read("0.1"), "100000000");
    EXPECT_EQ(read("12"), "12000000000");
    EXPECT_EQ(read("6307200000"), "6307200000000000000");
    EXPECT_EQ(read("4503599627.370497"), "4503599627370497000");
    EXPECT_EQ(read("0.000000001"), "1");
    EXPECT_EQ(read("-0.25"), "-250000000");
    EXPECT_EQ(read("007"), "7000000000");
}

TEST(Decimal, TakesEverySpellingOfANumber) {
    for (const char* half : {"0.5", ".5", "+.5", "5e-1", "50E-2", "0.00005e4", "0.50", "00.5000", "5.e-1"})
        EXPECT_EQ(read(half), "500000000") << half;
    EXPECT_EQ(read("1.5e3"), "1500000000000");
    EXPECT_EQ(read("5."), "5000000000");
}

TEST(Decimal, HalvesOfTheLastPlaceGoUp) {
    EXPECT_EQ(read("0.0000000005"), "1");
    EXPECT_EQ(read("0.00000000049999999999"), "0");
    EXPECT_EQ(read("0.0000000014999"), "1");
    EXPECT_EQ(read("0.9999999995"), "1000000000");
    EXPECT_EQ(read("5e-10"), "1");
    EXPECT_EQ(read("5e-11"), "0");
    EXPECT_EQ(read("-0.0000000001"), "0");
}

TEST(Decimal, WhatDoesNotFitIsTheLargestThereIs) {
    const std::string largest = std::to_string(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(read("18446744073.709551615"), largest);
    EXPECT_EQ(read("18446744073.709551616"), largest);
    EXPECT_EQ(read("99999999999"), largest);
    EXPECT_EQ(read("9999999999"), "9999999999000000000");
    EXPECT_EQ(read("1e99999999999999999999999999"), largest);
    EXPECT_EQ(read("0e99999999999999999999999999"), "0");
    EXPECT_EQ(read("1e-99999999999999999999999999"), "0");
    EXPECT_EQ(read("-1e30"), "-" + largest);
}

TEST(Decimal, RefusesWhatIsNoNumber) {
    for (const char* text : {"",    "-",   "+",   ".",    "e5", "1e", "1e+",   "1e1.5", "1..2", "1.2.3",
                             "--1", "inf", "nan", "0x10", "1 ", " 1", "1,000", "1_000", "12a",  "١"})
        EXPECT_EQ(read(text), "none") << text;
}

TEST(Decimal, AMillionDigitsAreReadAtOnce) {
    EXPECT_EQ(read("0." + std::string(1'000'000, '0').append("1")), "0");
    EXPECT_EQ(read(std::string(1'000'000, '0').append("1")), "1000000000");
    EXPECT_EQ(read("0." + std::string(1'000'000, '0') + "25e1000001"), "2500000000");
    EXPECT_EQ(read("0.3" + std::string(1'000'000, '3')), "333333333");
}

TEST(Decimal, EqualsIntegersMovedAboutByPointAndExponent) {
    const std::uint64_t seed = 5;
    Random random(seed);
    for (int i = 0; i < 5000; ++i) {
        const std::uint64_t count = random.below(std::uint64_t{1} << (1 + random.below(62)));
        std::string digits = fmt::format("{:010}", count);
        const std::size_t point = random.below(digits.size() + 1);
        const auto exponent = static_cast<std::int64_t>(digits.size() - point) - 9;
        digits.insert(point, ".");
        EXPECT_EQ(read(fmt::format("{}e{}", digits, exponent)), std::to_string(count))
            << "seed " << seed << ": " << digits;
    }
}

}  // namespace
}  // namespace sy::input
