// Image requests that need nothing of each other, over many models of very unequal popularity, any load as long as any
// other: how near `auto` comes to its own bound.
#include <limits>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr std::uint32_t kImageModels = 79;
constexpr std::uint32_t kImages = 26'000;
constexpr std::uint32_t kShortest = 10;  // seconds
constexpr std::uint32_t kLongest = 60;
constexpr std::uint32_t kTimes = kLongest - kShortest + 1;

/// A workflow of one step for each model and whole second; the weight of a model falls with its number (Zipf).
Batch image_requests(std::uint32_t gpus) {
    Batch batch;
    batch.kinds = {"g"};
    batch.nodes = {"n"};
    batch.gpus.assign(gpus, {KindId(0), gigabytes(80), NodeId(0), std::nullopt});
    batch.switching = {std::numeric_limits<double>::infinity(), 22'700ms, true, {}};
    std::vector<double> up_to;  // sums of weights
    for (std::uint32_t m = 0; m < kImageModels; ++m) {
        batch.models.push_back({fmt::format("m{}", m), gigabytes(7), 1});
        up_to.push_back((m > 0 ? up_to.back() : 0) + 1.0 / (m + 1));
        for (std::uint32_t s = kShortest; s <= kLongest; ++s)
            batch.workflows.push_back(
                {fmt::format("m{}-{}s", m, s), {{"s", ModelId(m), {static_cast<double>(s)}, {}, 0}}});
    }
    Random random(1);
    for (std::uint32_t r = 0; r < kImages; ++r) {
        const double draw = random.uniform() * up_to.back();
        std::uint32_t model = 0;
        while (model + 1 < kImageModels && draw >= up_to[model]) ++model;
        const auto time = static_cast<std::uint32_t>(random.below(kTimes));
        batch.requests.push_back({fmt::format("r{}", r), model * kTimes + time, 1, Level::normal});
    }
    return batch;
}

}  // namespace

std::vector<Row> bench_images(const Pace& pace) {
    const double seconds = pace.seconds(10);
    std::vector<Row> rows;
    const auto row = [&](std::uint32_t gpus, double target) {
        const Batch batch = image_requests(gpus);
        const plan::Problem problem(batch);
        rows.push_back(
            {fmt::format("26,000 image requests, 79 models, {} GPUs: gap of `auto` after {:g} s", gpus, seconds),
             gap_percent(batch, plan_for(problem, plan::kAuto, seconds)), "%", target, Aim::at_most});
    };
    row(16, 0.07);
    row(64, 0.2);
    row(256, 1.3);
    return rows;
}

}  // namespace sy::bench
