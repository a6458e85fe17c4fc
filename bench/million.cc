// About a million nodes on 1,024 GPUs: reading the file, the first plan, the plan after ten seconds, and the memory all
// this takes in the program that users run.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/check.h"
#include "batch_json.h"
#include "benches.h"
#include "child.h"
#include "input/batch_file.h"
#include "random_batch.h"
#include "timed_plan.h"

namespace sy::bench {

namespace {

constexpr double kMissing = 1e6;  ///< Where there is nothing to measure.

class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / fmt::format("switchyard-bench-{}.json", getpid())) {
        std::ofstream(path_) << text;
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path_); }

    std::string path() const { return path_; }

private:
    std::filesystem::path path_;
};

Result<Batch> read(const std::string& path) {
    const auto document = input::read_document(path);
    if (!document) return tl::unexpected(document.error());
    return input::read_batch(*document);
}

/// Unfolding the batch, the bound and putting jobs in order included.
double seconds_for_one(const Batch& batch, std::string_view strategy) {
    const Stopwatch watch;
    plan::PlanOptions options;
    options.passes = 1;
    const plan::Problem problem(batch);
    const Plan plan = plan::make_plan(problem, strategy, options);
    const double seconds = watch.seconds();
    return is_valid(batch, plan) ? seconds : kMissing;
}

double gap_after(const Batch& batch, double seconds) {
    const plan::PlanOptions options = for_seconds(seconds);  // the clock runs while the batch is unfolded
    const plan::Problem problem(batch);
    return gap_percent(batch, plan::make_plan(problem, plan::kAuto, options));
}

double peak_gb(const std::string& file, std::vector<std::string> more) {
    std::vector<std::string> command{switchyard_path(), "plan", file, "--seconds", "1"};
    command.insert(command.end(), more.begin(), more.end());
    const auto bytes = peak_bytes(command);
    return bytes ? static_cast<double>(*bytes) / 1e9 : kMissing;
}

}  // namespace

std::vector<Row> bench_million(const Pace& pace) {
    const TemporaryFile file(batch_json(random_batch({.workflows = 133'000, .gpus = 1024})));
    std::vector<Row> rows;
    const auto row = [&](std::string what, double measured, const char* unit, double most) {
        rows.push_back({"a million nodes, 1,024 GPUs: " + std::move(what), measured, unit, most, Aim::at_most});
    };
    row("peak memory of `switchyard plan`", peak_gb(file.path(), {}), "GB", 1.5);
    rows.push_back({"a million nodes, 1,024 GPUs: the same when it prints the plan as JSON",
                    peak_gb(file.path(), {"--json"}), "GB", std::nullopt});
    const Stopwatch reading;
    const Result<Batch> batch = read(file.path());
    const double seconds = reading.seconds();
    SY_CHECK(batch.has_value(), "a batch of our own cannot be read: {}", batch.error().message);
    row("reading the file", seconds, "s", 2);
    row("`dynamic` plan", seconds_for_one(*batch, "dynamic"), "s", 1);
    row("first plan (`search`, one pass)", seconds_for_one(*batch, "search"), "s", 1);
    const double budget = pace.seconds(10);
    row(fmt::format("gap of `auto` after {:g} s", budget), gap_after(*batch, budget), "%", 0.3);
    return rows;
}

}  // namespace sy::bench
