// A page of metrics of a large machine, every GPU with all its readings.
#include "service/server/scrape.h"

#include <algorithm>

#include "benches.h"

namespace sy::bench {

namespace {

constexpr std::uint32_t kScrapedGpus = 10'000;
constexpr std::uint32_t kScrapedNodeWidth = 100;
constexpr int kPages = 20;

}  // namespace

std::vector<Row> bench_metrics(const Pace& /*pace*/) {
    control::Core core({});
    for (std::uint32_t i = 0; i < kScrapedGpus; i += kScrapedNodeWidth)
        core.step(AddNode{std::vector(kScrapedNodeWidth, GpuSpec{gigabytes(80)}), {}}, kStart);
    const server::Measures measures(core);
    const server::Commits commits;
    const std::vector<metrics::GpuSample> samples(kScrapedGpus,
                                                  metrics::GpuSample{gigabytes(80), gigabytes(41), 97.5, 63.0});
    double slowest = 0;
    std::size_t bytes = 0;
    for (int i = 0; i < kPages; ++i) {
        const Stopwatch watch;
        bytes = server::scrape({.core = core, .measures = measures, .commits = commits, .traffic = {}, .gpus = samples})
                    .size();
        slowest = std::max(slowest, watch.seconds());
    }
    return {{"metrics of 10,000 GPUs: one scrape, the slowest of 20", slowest * 1e3, "ms", 30, Aim::at_most},
            {"metrics of 10,000 GPUs: the page", static_cast<double>(bytes) / 1e6, "MB", std::nullopt, Aim::at_most}};
}

}  // namespace sy::bench
