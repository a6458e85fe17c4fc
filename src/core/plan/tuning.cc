#include "core/plan/tuning.h"

#include <algorithm>
#include <cmath>

namespace sy::plan {

namespace {

std::vector<DispatchWeights> grid(bool mixed) {
    std::vector<DispatchWeights> all;
    for (const double future : {0.3, 0.0, 1.0})
        for (const double threshold : {1.0, 0.3, 3.0})
            for (const double urgency : {0.0, 0.3, 3.0})
                for (const double picky : mixed ? std::vector<double>{0.0, 0.7, 0.95} : std::vector<double>{0.0})
                    all.push_back({.future = future, .threshold = threshold, .urgency = urgency, .picky = picky});
    return all;
}

DispatchWeights near(DispatchWeights weights, Random& random) {
    const auto shaken = [&](double value, double least) {
        return std::max(value, least) * std::exp((random.uniform() - 0.5) * 2);
    };
    if (random.chance(0.5)) weights.future = random.chance(0.1) ? 0 : shaken(weights.future, 0.02);
    if (random.chance(0.5)) weights.threshold = random.chance(0.1) ? 0 : shaken(weights.threshold, 0.05);
    if (random.chance(0.5)) weights.urgency = random.chance(0.2) ? 0 : shaken(weights.urgency, 0.02);
    if (random.chance(0.3)) weights.scarcity = random.chance(0.2) ? 0 : shaken(weights.scarcity, 0.1);
    if (random.chance(0.3)) weights.speed = random.chance(0.2) ? 0 : shaken(weights.speed, 0.1);
    if (random.chance(0.2)) weights.picky = random.chance(0.3) ? 0 : random.uniform();
    weights.noise = random.chance(0.3) ? 0 : random.uniform() * random.uniform();
    weights.jitter = random.chance(0.4) ? 0 : random.uniform() * random.uniform();
    weights.seed = random.next();
    return weights;
}

}  // namespace

Tuning::Tuning(bool mixed, std::uint64_t seed) : grid_(grid(mixed)), random_(seed) {}

DispatchWeights Tuning::next() {
    return tried_ < grid_.size() ? grid_[tried_++] : near(best_, random_);
}

}  // namespace sy::plan
