#include "sim/traffic/requests.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/draw.h"

namespace sy::sim {

namespace {

/// Of the logarithm: the longest of twenty is some five times the mean one.
constexpr double kSpread = 1.0;
constexpr double kLongestDraw = 1e6;

std::uint32_t draw_length(Random& random, double mean) {
    const double length = std::min(std::round(mean * draw_lognormal(random, kSpread)), kLongestDraw);
    return std::max(1U, static_cast<std::uint32_t>(length));
}

}  // namespace

std::vector<TrafficRequest> draw_traffic(const TrafficRecipe& recipe, Random random) {
    SY_CHECK(recipe.per_second > 0, "a rate of {}", recipe.per_second);
    std::vector<TrafficRequest> requests;
    requests.reserve(recipe.count);
    const double gap_ns = 1e9 / recipe.per_second;
    Duration now{};
    for (std::uint64_t i = 0; i < recipe.count; ++i) {
        now += Duration(static_cast<std::int64_t>(draw_exponential(random) * gap_ns));
        TrafficRequest request{.arrival = now};
        request.prompt = draw_length(random, recipe.prompt_mean);
        request.answer = draw_length(random, recipe.answer_mean);
        if (recipe.longest > 1) {
            request.prompt = std::min(request.prompt, recipe.longest - 1);
            request.answer = std::min(request.answer, recipe.longest - request.prompt);
        }
        // Without a share nothing is drawn, so that the other draws stay what they are.
        if (recipe.high_share > 0 && random.chance(recipe.high_share)) request.level = Level::high;
        requests.push_back(request);
    }
    return requests;
}

}  // namespace sy::sim
