#include "random_batch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"

namespace sy::bench {

namespace {

constexpr std::array<std::uint64_t, 12> kSizes{1, 2, 3, 7, 14, 14, 16, 26, 30, 40, 60, 70};
constexpr std::uint32_t kTemplates = 40;
constexpr std::uint32_t kGpusOfANode = 8;

double log_normal(Random& random, double sigma) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return std::exp(sigma * radius * std::cos(2 * std::numbers::pi * random.uniform()));
}

/// Few models get most of the calls.
std::uint32_t popular(Random& random, const std::vector<double>& weights, double total) {
    double draw = random.uniform() * total;
    std::uint32_t model = 0;
    while (model + 1 < weights.size() && draw >= weights[model]) draw -= weights[model++];
    return model;
}

Workflow random_workflow(Random& random, std::uint32_t number, const std::vector<double>& weights,
                         const std::vector<double>& means) {
    Workflow workflow{fmt::format("w{}", number), {}};
    double total = 0;
    for (const double weight : weights) total += weight;
    const auto steps = static_cast<std::uint32_t>(random.between(3, 12));
    for (std::uint32_t i = 0; i < steps; ++i) {
        Step step;
        step.name = fmt::format("n{}", i);
        step.model = ModelId(popular(random, weights, total));
        step.seconds = {means[step.model.value()] * log_normal(random, 0.5)};
        for (std::uint64_t n = i == 0 ? 0 : 1 + random.below(2); n > 0; --n)
            step.needs.push_back(static_cast<std::uint32_t>(random.between(i > 4 ? i - 4 : 0, i - 1)));
        std::sort(step.needs.begin(), step.needs.end());
        step.needs.erase(std::unique(step.needs.begin(), step.needs.end()), step.needs.end());
        for (const std::uint32_t need : step.needs) step.level = std::max(step.level, workflow.steps[need].level + 1);
        workflow.steps.push_back(step);
    }
    return workflow;
}

}  // namespace

Batch random_batch(const BatchShape& shape) {
    Random random(shape.seed);
    Batch batch;
    batch.kinds = {"g"};
    batch.switching.bytes_per_second = 25e9;
    for (std::uint32_t gpu = 0; gpu < shape.gpus; ++gpu) {
        if (gpu % kGpusOfANode == 0) batch.nodes.push_back(fmt::format("n{}", gpu / kGpusOfANode));
        batch.gpus.push_back({KindId(0), gigabytes(80), NodeId(gpu / kGpusOfANode), std::nullopt});
    }
    std::vector<double> weights;
    std::vector<double> means;
    for (std::size_t m = 0; m < kSizes.size(); ++m) {
        batch.models.push_back({fmt::format("m{:02}", m), gigabytes(kSizes[m]), 1});
        weights.push_back(1.0 / static_cast<double>(m + 1));
        means.push_back(std::exp(std::log(0.5) + random.uniform() * std::log(40)) * (shape.short_jobs ? 0.1 : 1));
    }
    if (shape.gangs) {
        batch.models[10] = {"m10", gigabytes(140), 2};
        batch.models[11] = {"m11", gigabytes(280), 4};
    }
    random.shuffle(weights);
    for (std::uint32_t w = 0; w < std::min(shape.workflows, kTemplates); ++w)
        batch.workflows.push_back(random_workflow(random, w, weights, means));
    for (std::uint32_t r = 0; r < shape.workflows; ++r)
        batch.requests.push_back({fmt::format("r{}", r),
                                  static_cast<std::uint32_t>(random.below(batch.workflows.size())),
                                  log_normal(random, 0.4), Level::normal});
    return batch;
}

}  // namespace sy::bench
