// Layers over nodes for throughput: flow, bound, their ratio and the time of a search, on drawn clusters.
#include "core/pipeline/flow/throughput.h"

#include <string>
#include <vector>

#include <fmt/core.h>

#include "benches.h"
#include "core/pipeline/flow/cluster_testing.h"

namespace sy::bench {

namespace {

struct Drawn {
    std::string name;
    pipeline::testing::ClusterShape shape;
};

std::vector<Row> bench_cluster(const Drawn& drawn, std::uint64_t seeds, const Pace& pace) {
    double flow = 0;
    double bound = 0;
    double ratio = 0;
    double seconds = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const pipeline::Costs costs = pipeline::testing::cluster(drawn.shape, seed);
        pipeline::SearchBudget budget;
        budget.steps = pace.draws(budget.steps);
        const Stopwatch watch;
        const auto plan = pipeline::search_throughput(costs, budget);
        seconds += watch.seconds() / static_cast<double>(seeds);
        if (!plan) continue;
        flow += static_cast<double>(plan->flow.rate) / 1e6 / static_cast<double>(seeds);
        bound += static_cast<double>(plan->bound) / 1e6 / static_cast<double>(seeds);
        ratio += static_cast<double>(plan->flow.rate) / static_cast<double>(plan->bound) / static_cast<double>(seeds);
    }
    const auto row = [&](const char* what) { return fmt::format("throughput, {}: {}", drawn.name, what); };
    return {{row("flow"), flow, "tokens/s", std::nullopt},
            {row("bound"), bound, "tokens/s", std::nullopt},
            {row("flow of bound"), ratio, "", std::nullopt},
            {row("time"), seconds, "s", 0.5, Aim::at_most}};
}

}  // namespace

std::vector<Row> bench_throughput(const Pace& pace) {
    using namespace pipeline::testing;
    std::vector<Row> rows;
    for (const Drawn& drawn :
         {Drawn{"10 nodes of 2 kinds", ten_of_two()}, Drawn{"24 nodes of 3 kinds", twenty_four_of_three()},
          Drawn{"24 nodes of 3 kinds in 3 regions", twenty_four_in_three_regions()},
          Drawn{"42 nodes of 7 kinds", forty_two_of_seven()},
          Drawn{"42 nodes of 7 kinds in 3 regions", forty_two_in_three_regions()}})
        for (Row& row : bench_cluster(drawn, 3, pace)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace sy::bench
