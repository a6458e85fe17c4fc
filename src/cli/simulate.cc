// switchyard simulate: replay a trace under policies, side by side.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/logged_decisions.h"
#include "cli/simulate_policies.h"
#include "cli/simulate_report.h"
#include "cli/write_text.h"
#include "core/estimate/registry.h"
#include "core/place/registry.h"
#include "core/queue/registry.h"
#include "core/schedule/fit.h"
#include "input/cluster_file.h"
#include "input/document.h"
#include "input/fault_file.h"
#include "input/trace_file.h"
#include "output/completion_plot.h"
#include "output/csv_field.h"
#include "output/plot_svg.h"
#include "output/simulate_html.h"
#include "sim/study.h"

namespace sy::cli {

namespace {

/// More bars than this make a page slow to open, and are not told apart in it.
constexpr std::size_t kMostSpells = 20'000;

std::string jobs_csv(const Trace& trace, std::span<const sim::Outcome> jobs) {
    std::string text = "job_id,start_s,end_s,preemptions\n";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const sim::Outcome& job = jobs[i];
        text += fmt::format("{},{},{},{}\n", output::csv_field(trace.ids[i]), seconds_text(job.start - kStart),
                            seconds_text(job.end - kStart), job.put_aside);
    }
    return text;
}

/// jobs.csv for one policy; jobs.srtf.csv or jobs.fcfs-easy.csv and so on for several.
std::string path_for(const std::string& path, std::string trial, bool alone) {
    if (alone || path == "-") return path;
    std::replace(trial.begin(), trial.end(), ' ', '-');
    const std::size_t slash = path.rfind('/');
    const std::size_t dot = path.rfind('.');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    return has_ending ? path.substr(0, dot) + "." + trial + path.substr(dot) : path + "." + trial;
}

struct World {
    Trace trace;
    Cluster cluster;
    OutagePlan faults;
};

Result<OutagePlan> read_faults(const std::string& path, std::size_t nodes) {
    if (path.empty()) return OutagePlan{};
    const auto document = input::read_document(path);
    if (!document) return tl::unexpected(document.error());
    return input::parse_faults(*document, nodes);
}

Result<World> read_world(const SimulateArguments& a, std::string& text) {
    auto read = input::read_text(a.trace);
    if (!read) return tl::unexpected(read.error());
    text = std::move(*read);
    auto file = input::read_trace_file(text, input::name_of_file(a.trace));
    if (!file) return tl::unexpected(file.error());
    for (const std::string& warning : file->warnings) fmt::print(stderr, "switchyard: {}\n", warning);
    auto cluster = input::read_cluster(a.cluster);
    if (!cluster) return tl::unexpected(cluster.error());
    auto faults = read_faults(a.faults, cluster->nodes.size());
    if (!faults) return tl::unexpected(faults.error());
    World world{std::move(file->trace), std::move(*cluster), std::move(*faults)};
    join_kinds(world.trace, world.cluster);
    return world;
}

Result<measure::Study> try_one(const SimulateArguments& a, const World& world, const sim::Trial& trial, bool alone) {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[Ksimulating {} …\r", trial.name);
    LoggedDecisions decisions(world.trace, trial.policy.neighbours);
    const bool html = !a.html.empty();
    auto tried = sim::try_policy(
        {world.trace, world.cluster.nodes, world.faults}, trial,
        {.course = html, .spells = html ? kMostSpells : 0, .also = a.decisions.empty() ? nullptr : &decisions});
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
    if (!tried) return tl::unexpected(tried.error());
    if (!a.jobs_out.empty())
        if (const auto written =
                write_text(path_for(a.jobs_out, trial.name, alone), jobs_csv(world.trace, tried->jobs));
            !written)
            return tl::unexpected(written.error());
    if (!a.decisions.empty())
        if (const auto written = write_text(path_for(a.decisions, trial.name, alone), decisions.text()); !written)
            return tl::unexpected(written.error());
    return std::move(tried->study);
}

/// What no policy can do anything about.
std::optional<Error> what_never_runs(const SimulateArguments& a, const World& world, const std::string& text,
                                     const std::string& place) {
    const auto stuck = sim::first_that_never_runs(world.trace, world.cluster.nodes, place);
    if (!stuck) return std::nullopt;
    return Error{Fault::invalid_input,
                 fmt::format("{}: job '{}' asks for {}, which this cluster can never give with --place {}",
                             input::place_of_job(text, input::name_of_file(a.trace), *stuck, "gpus"),
                             world.trace.ids[*stuck], sim::wish(world.trace, *stuck), place),
                 "take the job out, or a larger --cluster"};
}

Exit run(const SimulateArguments& a) {
    std::string text;
    const auto world = read_world(a, text);
    if (!world) return complain(world.error());
    const auto trials = read_trials(a, world->cluster.nodes);
    if (!trials) return complain(trials.error());
    for (const sim::Trial& trial : *trials)
        if (const auto stuck = what_never_runs(a, *world, text, trial.policy.place)) return complain(*stuck);
    const double bound = sim::lower_bound_s({world->trace, world->cluster.nodes});
    std::vector<measure::Study> studies;
    for (const sim::Trial& trial : *trials) {
        auto study = try_one(a, *world, trial, trials->size() == 1);
        if (!study) return complain(study.error());
        study->lower_bound_mean_jct_s = bound;
        studies.push_back(std::move(*study));
    }
    if (!a.svg.empty())
        if (const auto plot = output::completion_plot(studies))
            if (const auto written = write_text(a.svg, output::plot_svg(*plot)); !written)
                return complain(written.error());
    if (!a.html.empty()) {
        const output::Scene scene{input::name_of_file(a.trace),   a.cluster, a.fits, a.places, gpus_of(world->cluster),
                                  sim::lane_names(world->cluster)};
        if (const auto written = write_text(a.html, output::simulate_html(scene, world->trace, studies)); !written)
            return complain(written.error());
        fmt::print(stderr, "written: {}\n", a.html);
    }
    if (a.jobs_out != "-" && a.decisions != "-")
        fmt::print("{}", a.json ? simulate_json(studies) : simulate_table(studies));
    return Exit::done;
}

template <class Names>
std::vector<std::string> as_strings(const Names& names, std::initializer_list<std::string> more = {}) {
    std::vector<std::string> strings;
    for (const std::string_view name : names) strings.emplace_back(name);
    strings.insert(strings.end(), more);
    return strings;
}

}  // namespace

Command simulate_command() {
    const auto a = std::make_shared<SimulateArguments>();
    return {
        .name = "simulate",
        .summary = "Replay a trace under scheduling policies and compare them",
        .examples =
            "  switchyard simulate examples/day.csv --cluster 4x8 --order fcfs,sjf,srtf,las\n"
            "  switchyard simulate jobs.csv --cluster 16x8 --order fcfs --fit easy --place consolidate\n"
            "  switchyard simulate jobs.csv --cluster 16x8 --order mlfq --limits 3250,7200 --jobs-out out.csv\n"
            "  switchyard simulate jobs.csv --cluster 16x8 --order fcfs,predicted --html report.html",
        .options =
            {{"TRACE", "", "Trace, CSV with a header; - for stdin", &a->trace, {}, true},
             {"--cluster", "C", "Nodes x GPUs such as 16x8 or 4x8+2x4, or a cluster file", &a->cluster, {}, true},
             {"--order", "O[,O…]", fmt::format("Who is next: {} (default fcfs)", fmt::join(queue::order_names(), ", ")),
              &a->orders},
             {"--fit", "F[,F…]",
              fmt::format("When the next one finds no room: {} (default strict); orders that interrupt always skip",
                          fmt::join(schedule::fit_names(), ", ")),
              &a->fits},
             {"--place", "P[,P…]", fmt::format("Where: {} (default count)", fmt::join(place::placement_names(), ", ")),
              &a->places},
             {"--neighbours", "", "A job's GPUs on a node are consecutive, as the live service gives them",
              &a->neighbours},
             {"--preempt", "", "Interrupt running jobs under any order", &a->preempt},
             {"--slice", "S", "Seconds of rr and las (default 3600)", &a->slice},
             {"--limits", "L,L…", "Limits of mlfq's queues (default 3250,7200)", &a->limits},
             {"--service",
              "U",
              "What mlfq and las count: seconds or gpu-seconds (default seconds)",
              &a->service,
              {"seconds", "gpu-seconds"}},
             {"--boost", "S", "Bring everybody back to mlfq's first queue every S seconds (default: never)", &a->boost},
             {"--aging", "S", "priority: a level is worth S seconds of waiting (default 0: levels are strict)",
              &a->aging},
             {"--restart-cost", "S", "What a job runs longer each time it is put aside (default 0)", &a->restart_cost},
             {"--predictor", "P", "predicted: rolling, mean, owner or boosted (default rolling)", &a->predictor,
              as_strings(estimate::run_time_names(), {"boosted"})},
             {"--faults", "FILE", "Nodes that fail, and when (docs/simulate.md); what runs there starts anew",
              &a->faults},
             {"--jobs-out", "FILE", "Write every job's start, end and preemptions as CSV; - for stdout alone",
              &a->jobs_out},
             {"--decisions", "FILE", "Write what was decided, and when, as CSV; - for stdout alone", &a->decisions},
             {"--html", "FILE", "Write a report with plots, in one page", &a->html},
             {"--svg", "FILE", "Write a plot of the completion times", &a->svg},
             {"--json", "", "Print one JSON document", &a->json}},
        .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
