// Builders for tests of allocation: random situations, and what amounts are worth to a party. Not part of the product.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/allocate/policy.h"

namespace sy::allocate::testing {

inline constexpr std::uint64_t kCases = 10'000;

/// Every property is tried on this many cases; a failure prints the seed it happened with and ends the test.
template <class Check>
void on_random_cases(const Check& check) {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
        const ::testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
        Random random(seed);
        check(random);
        if (::testing::Test::HasFailure()) return;
    }
}

inline Allotment allot(std::string_view policy, const Situation& situation) {
    auto allotment = make_policy(policy)->allot(situation);
    if (allotment) return *std::move(allotment);
    ADD_FAILURE() << policy << ": " << allotment.error().message;
    return Allotment{std::vector<Portion>(situation.parties.size())};
}

inline std::string refusal(std::string_view policy, const Situation& situation) {
    const auto allotment = make_policy(policy)->allot(situation);
    return allotment ? "" : allotment.error().message;
}

struct Sizes {
    std::int64_t most_parties = 5;
    std::int64_t capacity = 1'000'000'000;  ///< The most of each resource; large where rounding should not count.
    std::size_t resources = kResources.size();
    std::int64_t weight = 4;
};

inline Amounts random_amounts(Random& random, std::int64_t most, double some = 1.0, std::size_t resources = 5) {
    Amounts amounts;
    for (std::size_t r = 0; r < resources; ++r)
        if (random.chance(some)) amounts[kResources[r]] = random.between(most / 100, most);
    return amounts;
}

/// Wants something of at least one resource, up to one and a half times what there is.
inline Amounts random_want(Random& random, const Amounts& capacity, const Sizes& sizes) {
    Amounts want;
    const Resource first = kResources[random.below(sizes.resources)];
    for (std::size_t r = 0; r < sizes.resources; ++r) {
        const Resource resource = kResources[r];
        const std::int64_t most = capacity[resource] + capacity[resource] / 2;
        if (resource == first || random.chance(0.7))
            want[resource] = random.between(std::max<std::int64_t>(1, most / 100), std::max<std::int64_t>(1, most));
    }
    return want;
}

inline Situation random_situation(Random& random, const Sizes& sizes = {}) {
    Situation situation;
    for (std::size_t r = 0; r < sizes.resources; ++r)
        situation.capacity[kResources[r]] =
            random.between(std::max<std::int64_t>(1, sizes.capacity / 10), sizes.capacity);
    const auto parties = static_cast<std::size_t>(random.between(1, sizes.most_parties));
    for (std::size_t i = 0; i < parties; ++i) {
        Party party{.name = "p" + std::to_string(i)};
        party.task = random_want(random, situation.capacity, sizes);
        party.weight = random.between(1, sizes.weight);
        situation.parties.push_back(party);
    }
    return situation;
}

inline double as_double(std::int64_t amount) {
    return static_cast<double>(amount);
}

/// What part of its want a party could use with these amounts times `scale`: it needs its resources in proportion.
inline double part(const Party& party, const Amounts& amounts, double scale = 1) {
    double least = 1;
    for (const Resource resource : kResources)
        if (const std::int64_t want = party.want()[resource]; want > 0)
            least = std::min(least, as_double(amounts[resource]) * scale / as_double(want));
    return least;
}

inline double sum_of_weights(const Situation& situation) {
    double sum = 0;
    for (const Party& party : situation.parties) sum += as_double(party.weight);
    return sum;
}

}  // namespace sy::allocate::testing
