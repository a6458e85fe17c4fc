// Units: amounts that carry what they are amounts of.
#pragma once

#include <compare>
#include <cstdint>

namespace sy {

/// An amount of memory. Always bytes: GB and MiB exist only where people read and write.
class Bytes {
public:
    using rep = std::uint64_t;

    constexpr Bytes() = default;
    constexpr explicit Bytes(std::uint64_t count) : count_(count) {}

    constexpr std::uint64_t value() const { return count_; }

    friend constexpr auto operator<=>(Bytes, Bytes) = default;
    friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }

private:
    std::uint64_t count_ = 0;
};

/// Decimal, as model sizes and link speeds are quoted.
constexpr Bytes gigabytes(std::uint64_t n) {
    return Bytes(n * 1'000'000'000U);
}

}  // namespace sy
