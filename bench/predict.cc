// Predictors of run times: how fast the default one is, and how far off each is on a drawn trace and, where
// SWITCHYARD_TRACES names a folder, on its CSV files with the columns job_id,submit_s,duration_s,gpus.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/estimate/registry.h"
#include "core/estimate/rolling.h"
#include "core/estimate/score.h"
#include "core/estimate/testing.h"
#include "learned/boosted.h"

namespace sy::bench {

namespace {

Row speed_row() {
    constexpr std::size_t kCalls = 1'000'000;
    const Trace trace = estimate::testing::drawn_trace(1, 100'000);
    estimate::Rolling rolling;
    Duration sum{};
    const Stopwatch watch;
    for (std::size_t i = 0; i < kCalls; ++i) {
        const Job& job = trace.jobs[i % trace.jobs.size()];
        const estimate::JobFeatures features = estimate::features_of(trace, job);
        sum += rolling.predict(features) / kCalls;
        rolling.learn(features, job.length);
    }
    const double seconds = watch.seconds();
    if (sum == Duration::zero()) return {"rolling: it predicted nothing", 0, "s", 1, Aim::at_least};
    return {"rolling: 1,000,000 predictions and learnings", seconds, "s", 1, Aim::at_most};
}

/// Every key is new, so the table is full and forgets all the time: the worst case.
std::vector<Row> forgetting_rows() {
    constexpr std::uint32_t kCalls = 1'000'000;
    Random random(1);
    const std::uint64_t before = allocated_bytes();
    estimate::Rolling rolling;
    const Stopwatch watch;
    for (std::uint32_t i = 1; i <= kCalls; ++i) {
        const estimate::JobFeatures job{.user = NameId(i), .model = NameId(i), .name = NameId(i)};
        if (rolling.predict(job) > Duration::zero()) rolling.learn(job, random.between(1s, 10h));
    }
    const double seconds = watch.seconds();
    const double megabytes = static_cast<double>(allocated_bytes() - before) / 1e6;
    return {{"rolling: the same, each of a user, model and name never seen", seconds, "s", 1, Aim::at_most},
            {"rolling: memory then", megabytes, "MB", 10, Aim::at_most}};
}

std::vector<Row> score_rows(const std::string& what, const Trace& trace, estimate::RunTime& predictor) {
    const Stopwatch watch;
    const estimate::PredictionScore score = estimate::score(trace, predictor);
    const double micros = watch.seconds() * 1e6 / static_cast<double>(std::max<std::size_t>(1, score.jobs));
    return {{what + ", median error", score.median_error, "ln", {}, Aim::at_most},
            {what + ", mean error", score.mean_error, "ln", {}, Aim::at_most},
            {what + ", within a factor of two", 100 * score.within_twice, "%", {}, Aim::at_least},
            {what + ", rank correlation", score.rank_correlation, "", {}, Aim::at_least},
            {what + ", time for a job", micros, "us", {}, Aim::at_most}};
}

std::vector<Row> compare(const std::string& name, const Trace& trace) {
    std::vector<Row> rows;
    const auto add = [&](std::string_view predictor, estimate::RunTime& made) {
        const auto more = score_rows(fmt::format("{}: {}", name, predictor), trace, made);
        rows.insert(rows.end(), more.begin(), more.end());
    };
    for (const std::string_view predictor : estimate::run_time_names())
        add(predictor, *estimate::make_run_time(predictor));
    if (const auto boosted = learned::Boosted::make()) add("boosted", **boosted);
    return rows;
}

/// Empty where the file is of another kind.
Trace read_csv(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    Trace trace;
    if (!std::getline(file, line) || line != "job_id,submit_s,duration_s,gpus") return trace;
    double id = 0;
    double submit = 0;
    double length = 0;
    double gpus = 0;
    char comma = 0;
    while (file >> id >> comma >> submit >> comma >> length >> comma >> gpus) {
        Job job{.submit = kStart + Duration(static_cast<std::int64_t>(submit * 1e9)),
                .length = Duration(static_cast<std::int64_t>(length * 1e9))};
        job.demand = DemandId(static_cast<std::uint32_t>(trace.demands.size()));
        trace.demands.push_back({.gpus = static_cast<GpuCount>(gpus)});
        trace.jobs.push_back(job);
    }
    std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                     [](const Job& a, const Job& b) { return a.submit < b.submit; });
    return trace;
}

std::set<std::filesystem::path> csv_files() {
    const char* folder = std::getenv("SWITCHYARD_TRACES");
    std::set<std::filesystem::path> files;
    if (folder == nullptr) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".csv") files.insert(entry.path());
    return files;
}

}  // namespace

std::vector<Row> bench_predict(const Pace& pace) {
    std::vector<Row> rows{speed_row()};
    const auto add = [&](const std::vector<Row>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
    add(forgetting_rows());
    add(compare("drawn", estimate::testing::drawn_trace(1, pace.draws(20'000))));
    for (const auto& path : csv_files()) add(compare(path.stem().string(), read_csv(path)));
    return rows;
}

}  // namespace sy::bench
