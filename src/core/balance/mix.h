// Mix: spreads numbers over all 64 bits, so that neighbouring keys land far apart (the finisher of splitmix64, Vigna).
//
// The same on every machine, and no defence against clients who choose keys on purpose: whoever fears those hashes keys
// with a secret before they come here.
#pragma once

#include <cstdint>

namespace sy::balance {

constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// Order matters: mix(a, b) is not mix(b, a).
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return mix(mix(a) ^ b);
}

}  // namespace sy::balance
