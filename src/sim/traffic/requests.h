// Requests for a simulated mesh: when each comes, how long its prompt is and how many tokens its answer has.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "core/model/task.h"

namespace sy::sim {

struct TrafficRequest {
    Duration arrival{};
    std::uint32_t prompt = 1;  ///< Tokens; 1 at least.
    std::uint32_t answer = 1;  ///< Likewise.
    Level level = Level::normal;

    friend bool operator==(const TrafficRequest&, const TrafficRequest&) = default;
};

struct TrafficRecipe {
    std::uint64_t count = 0;
    double per_second = 1;      ///< Of a Poisson stream; above 0.
    double prompt_mean = 512;   ///< Of a log-normal length, as prompts and answers of chats roughly have.
    double answer_mean = 128;   ///< Likewise.
    std::uint32_t longest = 0;  ///< Prompt and answer together are cut to this; 0: not cut.
    double high_share = 0;      ///< Of requests that come at Level::high.
};

/// By arrival. The same recipe and seed give the same requests on every machine.
std::vector<TrafficRequest> draw_traffic(const TrafficRecipe& recipe, Random random);

}  // namespace sy::sim
