// switchyard plan: plan a batch, say how good the plan is, write it down.
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/plan_progress.h"
#include "cli/plan_summary.h"
#include "cli/portfolio.h"
#include "core/plan/bound.h"
#include "core/plan/planner.h"
#include "core/plan/verify.h"
#include "input/batch_file.h"
#include "input/json_lines.h"
#include "output/charts.h"
#include "output/plan_file.h"

namespace sy::cli {

namespace {

struct PlanArguments {
    std::string batch;
    std::string strategy = std::string(plan::kAuto);
    std::string method = "passes";
    std::string output;
    std::string trace;
    std::string svg;
    std::string html;
    std::uint64_t seed = 1;
    double seconds = 2;
    std::uint64_t passes = 0;
    std::uint64_t threads = 0;
    bool preload = false;
    std::string balance = "0.1";
    bool json = false;
};

Duration to_duration(double seconds) {
    return Duration(static_cast<std::int64_t>(seconds * 1e9));
}

bool ends_in(const std::string& text, std::string_view ending) {
    return text.ends_with(ending);
}

Result<void> write(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (file) return {};
    return fail(Fault::failed, fmt::format("{} cannot be written", path), "check the folder and its permissions");
}

/// In hundredths; nothing for "adaptive".
Result<std::optional<std::uint32_t>> read_balance(const std::string& text) {
    if (text == "adaptive") return std::nullopt;
    const auto weight = parse_seconds(text);  // a plain decimal, exactly
    if (weight && *weight >= 0s && *weight <= 1s && *weight % 10ms == 0s)
        return static_cast<std::uint32_t>(*weight / 10ms);
    return fail(Fault::usage, fmt::format("--balance is '{}', it must be 'adaptive' or hundredths from 0 to 1", text),
                "for example --balance 0.1");
}

const std::vector<std::pair<std::string, plan::SearchMethod>> kMethods{
    {"passes", plan::SearchMethod::passes},
    {"genetic", plan::SearchMethod::genetic},
    {"ants", plan::SearchMethod::ants},
    {"swarm", plan::SearchMethod::swarm},
};

std::vector<std::string> methods() {
    std::vector<std::string> names;
    for (const auto& [name, method] : kMethods) names.push_back(name);
    return names;
}

plan::PlanOptions options_for(const PlanArguments& a, Duration bound, Duration until, PlanProgress& progress) {
    plan::PlanOptions options;
    options.good_enough = bound;
    options.seed = a.seed;
    options.preload = a.preload;
    options.passes = a.passes > 0 ? a.passes : plan::kAsLongAsItTakes;
    for (const auto& [name, method] : kMethods)
        if (name == a.method) options.method = method;
    options.improved = [&progress](Duration makespan) { progress.improved(makespan); };
    options.keep_going = [&progress, until, by_passes = a.passes > 0] {
        progress.show();
        return by_passes || real_time() < until;
    };
    return options;
}

constexpr std::uint64_t kMostThreads = 256;

/// So many passes must give the same plan on every machine, so there the cores do not count.
std::uint64_t threads_for(const PlanArguments& a, const plan::Problem& problem) {
    if (a.threads > 0) return a.threads;
    return a.passes > 0 ? 1 : default_threads(problem);
}

Exit run(const PlanArguments& a) {
    const auto balance = read_balance(a.balance);
    if (!balance) return complain(balance.error());
    const auto document = input::read_batch_document(a.batch);
    if (!document) return complain(document.error());
    const auto batch = input::read_batch(*document);
    if (!batch) return complain(batch.error());

    const Duration began = real_time();
    const plan::Problem problem(*batch);
    const Duration until = began + to_duration(a.seconds);
    const Duration bound = plan::lower_bound(problem);
    PlanProgress progress(bound, a.passes > 0 ? std::nullopt : std::optional(until));
    plan::PlanOptions options = options_for(a, bound, until, progress);
    options.balance_hundredths = *balance;
    Plan plan = plan_in_threads(problem, a.strategy, options, threads_for(a, problem));
    progress.clear();
    plan.planning = real_time() - began;
    if (const auto valid = plan::verify(*batch, plan); !valid) {
        const Error& error = valid.error();
        return complain(
            {Fault::failed, "our own plan is not valid: " + error.message, "this is a bug; please report it"});
    }

    using Writer = std::string (*)(const Batch&, const Plan&);
    const bool as_csv = ends_in(a.output, ".csv");
    const std::vector<std::pair<const std::string&, Writer>> files{
        {a.output, as_csv ? output::plan_csv : output::plan_json},
        {a.trace, output::plan_trace},
        {a.svg, output::plan_svg},
        {a.html, output::plan_html}};
    for (const auto& [path, text_of] : files) {
        if (path.empty()) continue;
        if (const auto written = write(path, text_of(*batch, plan)); !written) return complain(written.error());
        fmt::print(stderr, "written: {}\n", path);
    }
    fmt::print("{}", a.json ? output::plan_json(*batch, plan) : plan_summary(*batch, plan));
    return Exit::done;
}

std::vector<std::string> plan_strategies() {
    std::vector<std::string> names{std::string(plan::kAuto)};
    for (const std::string_view name : plan::strategy_names()) names.emplace_back(name);
    return names;
}

}  // namespace

Command plan_command() {
    const auto a = std::make_shared<PlanArguments>();
    return {
        .name = "plan",
        .summary = "Plan a batch of workflows on GPUs, with a proven bound on how good the plan is",
        .examples =
            "  switchyard plan examples/rag.yaml\n"
            "  switchyard plan examples/rag.yaml --strategy dynamic -o plan.json\n"
            "  switchyard plan batch.json -o plan.csv",
        .options =
            {{"BATCH", "", "Batch file, YAML or JSON; - for stdin", &a->batch, {}, true},
             {"--strategy", "S", fmt::format("One of: {} (default auto)", fmt::join(plan_strategies(), ", ")),
              &a->strategy, plan_strategies()},
             {"--seed", "N", "Seed of whatever a strategy draws (default 1)", &a->seed},
             {"--seconds", "B", "How long `search` and `auto` may look for better plans (default 2)", &a->seconds},
             from(1, {"--passes", "K", "Instead of --seconds: so many passes, the same plan on every machine",
                      &a->passes}),
             {"--method", "M",
              fmt::format("How `search` goes about it: {} (default passes)", fmt::join(methods(), ", ")), &a->method,
              methods()},
             between(1, kMostThreads,
                     {"--threads", "N",
                      "How many cores search at once, each with its own seed (default: all, up to 8; 1 with --passes)",
                      &a->threads}),
             {"--preload", "", "Let `batch` and `dynamic` load a model before a node's needs are done", &a->preload},
             {"--balance", "W", "What busy time weighs in `dynamic`: 0 to 1 or adaptive (default 0.1)", &a->balance},
             {"-o,--output", "FILE", "Write the plan as JSON, or as CSV where FILE ends in .csv", &a->output},
             {"--trace", "FILE", "Write Chrome trace events, for Perfetto", &a->trace},
             {"--svg", "FILE", "Write a Gantt chart", &a->svg},
             {"--html", "FILE", "Write a Gantt chart to zoom and ask, in one page", &a->html},
             {"--json", "", "Print the plan as one JSON document", &a->json}},
        .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
