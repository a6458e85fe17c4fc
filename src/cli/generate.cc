// switchyard generate: draw a trace from laws one can name, for `simulate` to replay.
#include "sim/generate.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/trace_summary.h"
#include "cli/write_text.h"
#include "input/cluster_file.h"
#include "input/fields.h"
#include "input/reading.h"
#include "output/trace_csv.h"

namespace sy::cli {

namespace {

constexpr std::uint64_t kDefaultJobs = 1000;
constexpr double kDefaultLoad = 0.7;
constexpr double kMostHours = 24 * 365 * 10;

struct GenerateArguments {
    std::uint64_t jobs = 0;  ///< 0: not given; the same for hours and load.
    double hours = 0;
    double load = 0;
    std::string cluster = "16x8";
    std::string arrivals = "poisson";
    std::string lengths = "lognormal:1.5";
    double mean = 1800;
    std::string gpus = "1:0.7,2:0.1,4:0.1,8:0.1";
    std::string mix = "batch:0.8,online:0.15,stream:0.05";
    std::uint64_t users = 20;
    double repeats = 0.5;
    double noise = 0.5;
    double deadlines = 0.2;
    double slack = 2;
    std::uint64_t seed = 1;
    std::string output;
    bool json = false;
};

struct Law {
    std::string_view name;
    sim::Lengths law;
    double shape;  ///< Where none is given.
    bool has_shape;
};
constexpr std::array kLaws{
    Law{"exponential", sim::Lengths::exponential, 0, false}, Law{"lognormal", sim::Lengths::lognormal, 1.5, true},
    Law{"pareto", sim::Lengths::pareto, 1.5, true}, Law{"hyperexponential", sim::Lengths::hyperexponential, 10, true},
    Law{"fixed", sim::Lengths::fixed, 0, false}};

const std::vector<std::pair<std::string, sim::Arrivals>> kArrivals{
    {"poisson", sim::Arrivals::poisson}, {"bursts", sim::Arrivals::bursts}, {"diurnal", sim::Arrivals::diurnal}};

std::vector<std::string> arrival_names() {
    std::vector<std::string> names;
    for (const auto& [name, process] : kArrivals) names.push_back(name);
    return names;
}

Duration to_duration(double seconds) {
    return Duration(static_cast<std::int64_t>(seconds * 1e9));
}

/// "a:0.7,b:0.3"; a part without a weight has weight 1.
Result<std::vector<std::pair<std::string, double>>> parse_weights(const std::string& option, const std::string& text) {
    std::vector<std::pair<std::string, double>> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, comma - at);
        const std::size_t colon = part.find(':');
        const auto weight =
            colon == std::string::npos ? std::optional(1.0) : input::parse_number<double>(part.substr(colon + 1));
        if (part.empty() || colon == 0 || !weight || !(*weight >= 0 && *weight <= 1e6))
            return fail(
                Fault::usage,
                fmt::format("{} is {}: {} is no name with a weight from 0 to 1000000", option, input::shown(text),
                            input::shown(part)),
                fmt::format("for example {}", option == "--mix" ? "--mix batch:0.8,online:0.2" : "--gpus 1:0.7,8:0.3"));
        parts.emplace_back(part.substr(0, colon), *weight);
        at = comma + 1;
    }
    return parts;
}

Result<void> read_gangs(const GenerateArguments& a, sim::Recipe& recipe) {
    const auto parts = parse_weights("--gpus", a.gpus);
    if (!parts) return tl::unexpected(parts.error());
    recipe.gangs.clear();
    for (const auto& [text, weight] : *parts) {
        const auto gpus = input::parse_number<GpuCount>(text);
        if (!gpus || *gpus == 0)
            return fail(Fault::usage,
                        fmt::format("--gpus has a gang of {}, it must be a whole number from 1", input::shown(text)),
                        "for example --gpus 1:0.7,8:0.3");
        recipe.gangs.push_back({*gpus, weight});
    }
    return {};
}

Result<void> read_mix(const GenerateArguments& a, sim::Recipe& recipe) {
    const auto parts = parse_weights("--mix", a.mix);
    if (!parts) return tl::unexpected(parts.error());
    recipe.mix = {0, 0, 0};
    for (const auto& [name, weight] : *parts) {
        double* const share = name == "batch"    ? &recipe.mix.batch
                              : name == "online" ? &recipe.mix.online
                              : name == "stream" ? &recipe.mix.stream
                                                 : nullptr;
        if (share == nullptr) {
            const auto meant = input::nearest_word(name, {"batch", "online", "stream"});
            return fail(Fault::usage,
                        fmt::format("--mix has {}, it may have batch, online and stream", input::shown(name)),
                        meant ? fmt::format("did you mean {}?", *meant) : "for example --mix batch:0.8,online:0.2");
        }
        *share = weight;
    }
    return {};
}

Result<void> read_lengths(const GenerateArguments& a, sim::Recipe& recipe) {
    const std::size_t colon = a.lengths.find(':');
    const std::string name = a.lengths.substr(0, colon);
    for (const Law& law : kLaws) {
        if (law.name != name) continue;
        recipe.lengths = {law.law, law.shape, to_duration(a.mean)};
        if (colon == std::string::npos) return {};
        const auto shape = input::parse_number<double>(a.lengths.substr(colon + 1));
        if (!shape || !law.has_shape)
            return fail(Fault::usage,
                        fmt::format("--lengths is {}: {}", input::shown(a.lengths),
                                    law.has_shape ? "what follows the colon is no number" : "this law has no shape"),
                        "for example --lengths lognormal:2");
        recipe.lengths.shape = *shape;
        return {};
    }
    return fail(
        Fault::usage,
        fmt::format("--lengths is {}, it must be one of: exponential, lognormal, pareto, hyperexponential, fixed",
                    input::shown(a.lengths)),
        "for example --lengths lognormal:2");
}

Result<void> read_size(const GenerateArguments& a, sim::Recipe& recipe) {
    const auto cluster = input::read_cluster(a.cluster);
    if (!cluster) return tl::unexpected(cluster.error());
    if (a.jobs > 0 && a.hours > 0 && a.load > 0)
        return fail(Fault::usage, "--jobs, --hours and --load are given: two of them make the third", "leave one out");
    recipe.capacity = gpus_of(*cluster);
    recipe.jobs = a.jobs > 0 || a.hours > 0 ? a.jobs : kDefaultJobs;
    recipe.span = to_duration(a.hours * 3600);
    recipe.load = a.load > 0 ? a.load : kDefaultLoad;
    return {};
}

Result<sim::Recipe> recipe_of(const GenerateArguments& a) {
    sim::Recipe recipe;
    for (const auto read : {read_size, read_gangs, read_mix, read_lengths})
        if (const auto good = read(a, recipe); !good) return tl::unexpected(good.error());
    recipe.seed = a.seed;
    recipe.users = static_cast<std::uint32_t>(std::min<std::uint64_t>(a.users, ~std::uint32_t{0}));
    recipe.repeats = a.repeats;
    recipe.estimate_noise = a.noise;
    recipe.deadlines = a.deadlines;
    recipe.slack = a.slack;
    for (const auto& [name, process] : kArrivals)
        if (name == a.arrivals) recipe.arrivals = process;
    if (const auto good = sim::check(recipe); !good) return tl::unexpected(good.error());
    return recipe;
}

Exit run(const GenerateArguments& a) {
    const auto recipe = recipe_of(a);
    if (!recipe) return complain(recipe.error());
    const Trace trace = sim::generate(*recipe);
    if (trace.jobs.empty())
        return complain({Fault::usage, "no job comes within that time",
                         "give more --hours, a larger --load or a --mean that is shorter"});
    const double load = sim::offered_load(trace, recipe->capacity);
    const bool to_stdout = a.output.empty() || a.output == "-";
    if (!to_stdout || !a.json) {
        const auto written = write_text(to_stdout ? "-" : a.output, output::trace_csv(trace));
        if (!written) return complain(written.error());
    }
    if (a.json) {
        nlohmann::ordered_json document = trace_summary_json(trace);
        document["seed"] = a.seed;
        document["load"] = load;
        fmt::print("{}\n", document.dump(2));
        return Exit::done;
    }
    std::FILE* const talk = to_stdout ? stderr : stdout;
    fmt::print(talk, "generated{}{}, seed {}\n{}  {:<10} {:.3f} of {} GPUs\n", to_stdout ? "" : " ",
               to_stdout ? "" : a.output, a.seed, trace_summary(trace), "load", load, recipe->capacity);
    return Exit::done;
}

}  // namespace

Command generate_command() {
    const auto a = std::make_shared<GenerateArguments>();
    return {
        .name = "generate",
        .summary = "Draw a trace of jobs from a seed, for `simulate`",
        .examples =
            "  switchyard generate -o trace.csv\n"
            "  switchyard generate --jobs 5000 --load 0.9 --cluster 16x8 --arrivals bursts -o busy.csv\n"
            "  switchyard generate --hours 24 --arrivals diurnal --lengths pareto:1.3 --mix batch -o day.csv",
        .options = {{"-o,--output", "FILE", "Write the trace there (default: standard output)", &a->output},
                    from(1, {"--jobs", "N", "How many jobs (default 1000, unless --hours is given)", &a->jobs}),
                    between(0.001, kMostHours,
                            {"--hours", "H", "How long jobs keep coming; with --jobs: that many within it", &a->hours}),
                    between(0.001, 1000,
                            {"--load", "L", "Work offered over what the cluster can do (default 0.7)", &a->load}),
                    {"--cluster", "C", "What the load is meant for: 16x8 or a file (default 16x8)", &a->cluster},
                    {"--arrivals", "A", fmt::format("One of: {} (default poisson)", fmt::join(arrival_names(), ", ")),
                     &a->arrivals, arrival_names()},
                    {"--lengths", "LAW[:SHAPE]",
                     "exponential, lognormal:SIGMA, pareto:ALPHA, hyperexponential:VARIATION or fixed "
                     "(default lognormal:1.5)",
                     &a->lengths},
                    {"--mean", "S", "Mean length of batch jobs in seconds (default 1800)", &a->mean},
                    {"--gpus", "SIZES", "Gang sizes with weights (default 1:0.7,2:0.1,4:0.1,8:0.1)", &a->gpus},
                    {"--mix", "WORK", "Shares of work (default batch:0.8,online:0.15,stream:0.05)", &a->mix},
                    {"--users", "U", "How many users share the work, unequally (default 20)", &a->users},
                    {"--repeats", "P", "Share of batch jobs that repeat an earlier one (default 0.5)", &a->repeats},
                    {"--estimate-noise", "X", "How wrong estimates are; 0 makes them exact (default 0.5)", &a->noise},
                    {"--deadlines", "P", "Share of batch jobs with a deadline (default 0.2)", &a->deadlines},
                    {"--slack", "X", "Mean wait such a deadline allows, in lengths (default 2)", &a->slack},
                    {"--seed", "N", "The same seed gives the same trace (default 1)", &a->seed},
                    {"--json", "", "Print what was drawn as one JSON document", &a->json}},
        .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
