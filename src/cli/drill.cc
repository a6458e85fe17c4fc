// switchyard drill: hold storms, look for broken promises, print what happened.
#include "sim/drill.h"

#include <cstdio>
#include <deque>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/digest.h"
#include "cli/commands.h"
#include "core/model/describe.h"
#include "input/document.h"
#include "sim/weather_file.h"

namespace sy::cli {

namespace {

constexpr std::uint64_t kMostRuns = 10'000'000;
constexpr std::size_t kStoryLines = 40;

struct DrillArguments {
    std::uint64_t seed = 1;
    std::uint64_t runs = 100;
    std::string weather;
    bool story = false;
    bool json = false;
};

/// All runs of one call, added up.
struct Total {
    std::uint64_t runs = 0;
    std::size_t submitted = 0, answered = 0, events = 0, server_crashes = 0, worker_crashes = 0, messages_lost = 0;
    measure::Tally tally;
    Duration lasted{};
    Digest digest;
    std::optional<sim::DrillReport> broken;

    void add(const sim::DrillReport& report) {
        ++runs;
        submitted += report.submitted;
        answered += report.answered;
        events += report.events;
        server_crashes += report.server_crashes;
        worker_crashes += report.worker_crashes;
        messages_lost += report.messages_lost;
        lasted += report.lasted;
        digest.add(report.digest);
        std::apply([&](auto... count) { ((tally.*count += report.tally.*count), ...); }, measure::Tally::fields());
        if (!report.passed()) broken = report;
    }
};

sim::DrillOptions options_for(std::uint64_t seed, const input::Document* document) {
    sim::DrillOptions options;
    options.seed = seed;
    if (document != nullptr)
        options.adjust = [document](sim::Weather& weather) {
            weather = *sim::read_weather(*document, weather);  // it was read once before, so it is valid
        };
    return options;
}

/// Runs the seed once more and keeps the end of its story: tracing every run would cost more than the runs.
std::deque<std::string> last_lines(sim::DrillOptions options) {
    std::deque<std::string> lines;
    options.tell = [&](Instant at, const std::string& line) {
        lines.push_back(fmt::format("{:>14}  {}", describe(at.time_since_epoch()), line));
        if (lines.size() > kStoryLines) lines.pop_front();
    };
    sim::run_drill(options);
    return lines;
}

nlohmann::ordered_json to_json(const DrillArguments& arguments, const Total& total) {
    nlohmann::ordered_json document{{"simulated", true},
                                    {"seed", arguments.seed},
                                    {"runs", total.runs},
                                    {"passed", !total.broken},
                                    {"digest", total.digest.text()},
                                    {"tasks",
                                     {{"submitted", total.submitted},
                                      {"accepted", total.tally.accepted},
                                      {"answered", total.answered},
                                      {"succeeded", total.tally.succeeded},
                                      {"failed", total.tally.failed},
                                      {"timed_out", total.tally.timed_out},
                                      {"lost", total.tally.lost},
                                      {"cancelled", total.tally.cancelled}}},
                                    {"attempts",
                                     {{"started", total.tally.started},
                                      {"void", total.tally.voided},
                                      {"preempted", total.tally.preempted},
                                      {"late_reports_refused", total.tally.late_reports}}},
                                    {"faults",
                                     {{"server_crashes", total.server_crashes},
                                      {"worker_crashes", total.worker_crashes},
                                      {"workers_lost", total.tally.workers_lost},
                                      {"messages_lost", total.messages_lost}}},
                                    {"events", total.events},
                                    {"virtual_s", to_seconds(total.lasted)}};
    if (total.broken) {
        document["broken_seed"] = total.broken->seed;
        document["violations"] = total.broken->violations;
    }
    return document;
}

void print_table(const Total& t) {
    const auto row = [](const char* what, const std::string& figures) { fmt::print("  {:<10} {}\n", what, figures); };
    fmt::print("drill: {} simulated storms, {} of virtual time\n", t.runs, describe(t.lasted - t.lasted % 1s));
    row("tasks",
        fmt::format("{} accepted: {} succeeded, {} failed, {} timed out, {} lost, {} cancelled", t.tally.accepted,
                    t.tally.succeeded, t.tally.failed, t.tally.timed_out, t.tally.lost, t.tally.cancelled));
    row("attempts", fmt::format("{} started, {} void ({} made way), {} late reports refused", t.tally.started,
                                t.tally.voided, t.tally.preempted, t.tally.late_reports));
    row("faults", fmt::format("{} server crashes, {} worker crashes, {} workers given up, {} messages lost",
                              t.server_crashes, t.worker_crashes, t.tally.workers_lost, t.messages_lost));
    row("events", fmt::format("{}", t.events));
    row("digest", t.digest.text());
    if (!t.broken) row("promises", "all kept");
}

void print_broken(const sim::DrillReport& broken, const DrillArguments& arguments,
                  const std::deque<std::string>& story) {
    for (const std::string& line : story) fmt::print(stderr, "{}\n", line);
    for (const std::string& violation : broken.violations)
        fmt::print(stderr, "switchyard: promise broken: {}\n", violation);
    fmt::print(stderr, "  repeat with: switchyard drill --seed {} --runs 1{}\n", broken.seed,
               arguments.weather.empty() ? "" : " --weather " + arguments.weather);
}

class Progress {
public:
    explicit Progress(std::uint64_t runs) : runs_(runs), shown_(isatty(STDERR_FILENO) != 0) {}
    void show(std::uint64_t done) const {
        if (shown_ && done % 64 == 0) fmt::print(stderr, "\r{} of {} storms", done, runs_);
    }
    void clear() const {
        if (shown_) fmt::print(stderr, "\r\033[K");
    }

private:
    std::uint64_t runs_;
    bool shown_;
};

Exit run(const DrillArguments& arguments) {
    if (arguments.runs == 0 || arguments.runs > kMostRuns)
        return complain(
            {Fault::usage, fmt::format("--runs is {}, it must be from 1 to {}", arguments.runs, kMostRuns), {}});

    std::optional<input::Document> document;
    if (!arguments.weather.empty()) {
        auto read = input::read_document(arguments.weather);
        if (!read) return complain(read.error());
        document = *std::move(read);
        const auto weather = sim::read_weather(*document, {});
        if (!weather) return complain(weather.error());
    }

    Total total;
    const Progress progress(arguments.runs);
    const auto options = [&](std::uint64_t seed) { return options_for(seed, document ? &*document : nullptr); };
    for (std::uint64_t i = 0; i < arguments.runs && !total.broken; ++i) {
        sim::DrillOptions one = options(arguments.seed + i);
        if (arguments.story)
            one.tell = [](Instant at, const std::string& line) {
                fmt::print(stderr, "{:>14}  {}\n", describe(at.time_since_epoch()), line);
            };
        total.add(sim::run_drill(one));
        progress.show(i + 1);
    }
    progress.clear();

    if (arguments.json) {
        fmt::print("{}\n", to_json(arguments, total).dump(2));
    } else {
        print_table(total);
    }
    if (!total.broken) return Exit::done;
    print_broken(*total.broken, arguments, last_lines(options(total.broken->seed)));
    return Exit::failed;
}

}  // namespace

Command drill_command() {
    const auto a = std::make_shared<DrillArguments>();
    return {.name = "drill",
            .summary = "Run the whole service in simulated storms and check that it keeps its promises",
            .examples =
                "  switchyard drill                          100 storms, each drawn from its seed\n"
                "  switchyard drill --seed 7 --runs 1 --story  tell one storm line by line\n"
                "  switchyard drill --weather storm.yaml     your cluster, your faults (docs/drill.md)",
            .options = {{"--seed", "N", "First seed; the same seed gives the same run (default 1)", &a->seed},
                        {"--runs", "K", "How many seeds from there on (default 100)", &a->runs},
                        {"--weather", "FILE", "Fix parts of cluster, work and faults; - for stdin", &a->weather},
                        {"--story", "", "Tell everything that happens, on stderr", &a->story},
                        {"--json", "", "Print one JSON document", &a->json}},
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
