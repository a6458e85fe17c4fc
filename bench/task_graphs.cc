// Task graphs on like machines without switches, drawn in the four usual ways with the four usual sorts of times: how
// many are proven optimal within a second.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/plan/testing.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

enum class Shape { same_probability, same_predecessors, layers_probability, layers_predecessors };
enum class TaskTimes { to_10, to_20, exponential, normal };

constexpr std::array kShapes{Shape::same_probability, Shape::same_predecessors, Shape::layers_probability,
                             Shape::layers_predecessors};
constexpr std::array<std::string_view, 4> kNames{"same chance of an edge", "same number of needs",
                                                 "layers, chance of an edge", "layers, few needs"};
constexpr std::array kTimes{TaskTimes::to_10, TaskTimes::to_20, TaskTimes::exponential, TaskTimes::normal};
constexpr std::uint64_t kDraws = 10;
constexpr double kMeanSeconds = 10;

/// Whole seconds, at least one.
double draw_seconds(Random& random, TaskTimes times) {
    if (times == TaskTimes::to_10) return static_cast<double>(random.between(1, 10));
    if (times == TaskTimes::to_20) return static_cast<double>(random.between(1, 20));
    const double radius = -std::log(1 - random.uniform());
    if (times == TaskTimes::exponential) return std::max(1.0, std::round(kMeanSeconds * radius));
    const double normal = std::sqrt(2 * radius) * std::cos(2 * std::numbers::pi * random.uniform());
    return std::max(1.0, std::round(kMeanSeconds + kMeanSeconds / 3 * normal));
}

/// The layer of each task, in rising order; each task a layer of its own where there are none.
std::vector<std::uint32_t> draw_layers(Random& random, Shape shape, std::uint32_t tasks) {
    const bool layered = shape == Shape::layers_probability || shape == Shape::layers_predecessors;
    const auto width = static_cast<std::int64_t>(layered ? 2 + random.below(tasks / 5) : 1);
    std::vector<std::uint32_t> layers;
    for (std::uint32_t layer = 0; layers.size() < tasks; ++layer)
        for (std::int64_t n = layered ? random.between(1, 2 * width - 1) : 1; n > 0 && layers.size() < tasks; --n)
            layers.push_back(layer);
    return layers;
}

/// Needs lie in any earlier layer; how many each task has on the whole is drawn once for a graph.
std::vector<std::vector<std::uint32_t>> draw_needs(Random& random, Shape shape, std::uint32_t tasks) {
    const std::vector<std::uint32_t> layers = draw_layers(random, shape, tasks);
    const bool by_chance = shape == Shape::same_probability || shape == Shape::layers_probability;
    const double chance = 0.02 + 0.18 * random.uniform();
    const std::int64_t mean = 1 + 2 * random.between(0, 2);  // one, three or five
    std::vector<std::vector<std::uint32_t>> needs(tasks);
    for (std::uint32_t task = 0; task < tasks; ++task) {
        const auto first =
            static_cast<std::uint32_t>(std::lower_bound(layers.begin(), layers.end(), layers[task]) - layers.begin());
        std::int64_t left = by_chance ? 0 : std::min<std::int64_t>(random.between(0, 2 * mean), first);
        for (std::uint32_t earlier = 0; earlier < first; ++earlier) {
            const bool taken =
                by_chance ? random.chance(chance) : static_cast<std::int64_t>(random.below(first - earlier)) < left;
            if (!taken) continue;
            needs[task].push_back(earlier);
            --left;
        }
    }
    return needs;
}

Batch task_graph(Random& random, Shape shape, TaskTimes times, std::uint32_t tasks) {
    plan::testing::Yard yard;
    yard.gpus(1, 80).model("m", 1).workflow("w");
    const auto needs = draw_needs(random, shape, tasks);
    for (std::uint32_t task = 0; task < tasks; ++task)
        yard.step(fmt::format("t{}", task), "m", draw_seconds(random, times), needs[task]);
    return yard.requests(1).batch();
}

/// The same graph on so many machines, which hold the only model from the beginning.
void put_on(Batch& batch, std::uint32_t machines) {
    BatchGpu gpu = batch.gpus.front();
    gpu.holds = ModelId(0);
    batch.gpus.assign(machines, gpu);
}

struct GraphTally {
    double proven = 0;
    double all = 0;

    double percent() const { return 100 * proven / all; }
};

/// Graphs of one shape on every number of machines.
GraphTally look_at(Shape shape, const Pace& pace) {
    GraphTally tally;
    for (const std::uint32_t tasks : {50U, 100U})
        for (const TaskTimes times : kTimes)
            for (std::uint64_t draw = 0; draw < pace.draws(kDraws); ++draw) {
                Random random(1'000 * tasks + 100 * static_cast<std::uint64_t>(shape) +
                              10 * static_cast<std::uint64_t>(times) + draw);
                Batch batch = task_graph(random, shape, times, tasks);
                for (const std::uint32_t machines : {2U, 4U, 8U, 16U}) {
                    put_on(batch, machines);
                    const plan::Problem problem(batch);
                    const Plan plan = plan_for(problem, plan::kAuto, pace.seconds(1));
                    if (is_valid(batch, plan) && plan.proven_optimal) ++tally.proven;
                    ++tally.all;
                }
            }
    return tally;
}

}  // namespace

std::vector<Row> bench_task_graphs(const Pace& pace) {
    std::vector<Row> rows(1);
    GraphTally whole;
    for (std::size_t s = 0; s < kShapes.size(); ++s) {
        const GraphTally part = look_at(kShapes[s], pace);
        whole.proven += part.proven;
        whole.all += part.all;
        rows.push_back({fmt::format("  of those with {}", kNames[s]), part.percent(), "%", std::nullopt});
    }
    rows[0] = {
        fmt::format("{} task graphs, 50 and 100 tasks, 2 to 16 machines: proven in {:g} s", whole.all, pace.seconds(1)),
        whole.percent(), "%", 99, Aim::at_least};
    return rows;
}

}  // namespace sy::bench
