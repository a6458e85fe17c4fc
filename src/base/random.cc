#include "base/random.h"

#include <cmath>

#include "base/check.h"

namespace sy {

namespace {

constexpr std::uint64_t rotate_left(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

/// Spreads a seed over the state, so that neighbouring seeds start far apart (splitmix64, Vigna).
std::uint64_t spread(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
    for (auto& word : state_) word = spread(seed);
}

std::uint64_t Random::next() {
    const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
}

std::uint64_t Random::below(std::uint64_t limit) {
    SY_CHECK(limit > 0, "below(0): there is no number to draw");
    const std::uint64_t biased = (0 - limit) % limit;  // draws under this would favour small results
    std::uint64_t draw = next();
    while (draw < biased) draw = next();
    return draw % limit;
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
    SY_CHECK(low <= high, "between({}, {})", low, high);
    const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span == 0 ? next() : below(span);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

Duration Random::between(Duration low, Duration high) {
    return Duration(between(low.count(), high.count()));
}

double Random::uniform() {
    return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

bool Random::chance(double probability) {
    return uniform() < probability;
}

Duration Random::exponential(Duration mean) {
    return Duration(static_cast<std::int64_t>(-std::log1p(-uniform()) * static_cast<double>(mean.count())));
}

Random Random::split() {
    return Random(next());
}

}  // namespace sy
