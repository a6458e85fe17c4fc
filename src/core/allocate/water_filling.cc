// Problem: weighted max-min fairness of one resource that comes in whole units. The real-valued answer, everybody at
// the same level of amount/weight or at its want, must be rounded, and rounding can undo what it promises.
//
// Choice: the k-th unit of a claim has the key k/weight, and the units with the smallest keys are given, ties to the
// claim that stands first (the divisor rule of Jefferson and D'Hondt). With it, in whole units and without tolerance:
//   - a claim gets min(want, K) where K depends only on the others, so a false want never helps;
//   - nobody gets less than its want or the whole part of its weighted share, whichever is less;
//   - one unit more would bring whoever lacks something at least level with everybody else.
// The first follows since a unit's key does not depend on wants. The second since at most `capacity` units have a key
// up to capacity / sum of weights. Largest remainders, the obvious alternative, promises none of the first.
//
// The keys are not walked one by one: the level is found by sorting the claims by want/weight, all units below it are
// given at once, and the fewer than n that remain go out by a heap. Fractions are compared as products in 128 bits.
// Floors: whoever ends below its floor gets the floor and leaves; then there is less for the others, so it would never
// have risen above it, and the rest is filled again.
//
// Cost: O(n log n), times the rounds that floors take: at most n, few in practice.
#include "core/allocate/water_filling.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/check.h"
#include "base/wide.h"

namespace sy::allocate {

namespace {

/// The next unit of a claim; the smallest key is on top.
struct NextUnit {
    std::int64_t number;
    std::int64_t weight;
    std::size_t claim;

    friend bool operator<(const NextUnit& a, const NextUnit& b) {
        const Wide left = Wide{a.number} * b.weight;
        const Wide right = Wide{b.number} * a.weight;
        return left != right ? left > right : a.claim > b.claim;
    }
};

using Places = std::vector<std::size_t>;

void give_rest(std::int64_t rest, const std::vector<Claim>& claims, const Places& open,
               std::vector<std::int64_t>& given) {
    std::priority_queue<NextUnit> units;
    const auto add = [&](std::size_t i) {
        if (given[i] < claims[i].want) units.push({given[i] + 1, claims[i].weight, i});
    };
    for (const std::size_t i : open) add(i);
    for (; rest > 0 && !units.empty(); --rest) {
        const std::size_t i = units.top().claim;
        units.pop();
        ++given[i];
        add(i);
    }
}

/// Fills the claims at these places and leaves the others alone.
void fill_places(std::int64_t capacity, const std::vector<Claim>& claims, Places places,
                 std::vector<std::int64_t>& given) {
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        const Wide left = Wide{claims[a].want} * claims[b].weight;
        const Wide right = Wide{claims[b].want} * claims[a].weight;
        return left != right ? left < right : a < b;
    });
    std::int64_t weights = 0;
    for (const std::size_t i : places) weights += claims[i].weight;
    auto open = places.begin();
    for (; open != places.end(); ++open) {
        const Claim& claim = claims[*open];
        if (Wide{claim.want} * weights > Wide{capacity} * claim.weight) break;
        given[*open] = claim.want;
        capacity -= claim.want;
        weights -= claim.weight;
    }
    std::int64_t rest = capacity;
    for (auto at = open; at != places.end(); ++at) {
        given[*at] = static_cast<std::int64_t>(Wide{capacity} * claims[*at].weight / weights);
        rest -= given[*at];
    }
    give_rest(rest, claims, {open, places.end()}, given);
}

}  // namespace

std::vector<std::int64_t> fill(std::int64_t capacity, const std::vector<Claim>& claims) {
    std::vector<std::int64_t> given(claims.size());
    Places open(claims.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (;;) {
        fill_places(capacity, claims, open, given);
        Places above;
        for (const std::size_t i : open) {
            if (given[i] >= claims[i].floor) {
                above.push_back(i);
                continue;
            }
            given[i] = claims[i].floor;
            capacity -= given[i];
        }
        SY_CHECK(capacity >= 0, "the floors are {} more than the capacity", -capacity);
        if (above.size() == open.size()) return given;
        open = std::move(above);
    }
}

}  // namespace sy::allocate
