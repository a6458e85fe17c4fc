// switchyard layers: share out a model's layers over unequal nodes (L3, L4).
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/layers_scene.h"
#include "cli/layers_simulate.h"
#include "cli/layers_summary.h"
#include "cli/write_text.h"
#include "core/pipeline/appraise.h"
#include "core/pipeline/strategy.h"
#include "core/pipeline/with_room.h"
#include "input/mesh_file.h"
#include "output/division_json.h"
#include "output/division_svg.h"

namespace sy::cli {

namespace {

struct LayersArguments {
    std::string mesh;
    std::string strategy = std::string(pipeline::kAutoStrategy);
    std::string objective;
    std::string output;
    std::string svg;
    bool json = false;
    TrafficWishes traffic;
};

pipeline::Objective objective_of(const LayersArguments& a) {
    if (a.objective.empty()) return pipeline::usual_objective(a.strategy);
    if (a.objective == "served") return pipeline::Objective::served;
    return a.objective == "throughput" ? pipeline::Objective::throughput : pipeline::Objective::latency;
}

/// Errors of what a file says name the file.
Error in_file(Error error, const std::string& path) {
    if (error.fault != Fault::usage) error.message = fmt::format("{}: {}", input::name_of_file(path), error.message);
    return error;
}

/// On all cores.
void carry_out(const std::vector<std::function<void()>>& tries) {
    constexpr std::size_t kMostThreads = 8;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < tries.size(); i = next++) tries[i]();
    };
    std::vector<std::jthread> others;
    const std::size_t cores = std::min<std::size_t>(std::thread::hardware_concurrency(), kMostThreads);
    for (std::size_t n = 1; n < std::min(cores, tries.size()); ++n) others.emplace_back(work);
    work();
}

/// A flow that needs many more requests at once than nodes have room for is no promise.
void warn_of_little_room(const pipeline::Costs& costs, const pipeline::Division& division) {
    const pipeline::RateWithRoom with = rate_with_room(costs, division);
    if (with.rate >= division.rate / 2) return;
    const auto per_second = [](pipeline::Rate rate) {
        return static_cast<double>(rate) / static_cast<double>(pipeline::kTokenPerSecond);
    };
    fmt::print(stderr, "warning: nodes have room for {} requests at once, enough for {:.1f} of {:.1f} tokens/s\n",
               with.requests, per_second(with.rate), per_second(division.rate));
    fmt::print(stderr, "fix: {}\n",
               with.by_memory ? "--objective served, raise kv_ratio, lower max_sequence, or add memory"
                              : "--objective served, or raise max_concurrent");
}

/// Of a simulation's document and the division's the former: -o has the latter.
Exit print(const LayersArguments& a, const Mesh& mesh, const pipeline::Costs& costs,
           const pipeline::Division& division) {
    std::string report;
    if (a.traffic.requests > 0) {
        auto simulated = a.traffic.scene.empty() ? simulate_layers(mesh, costs, division, a.traffic, a.json)
                                                 : play_layers(mesh, costs, division, {a.strategy, a.traffic, a.json});
        if (!simulated) return complain(simulated.error());
        report = *std::move(simulated);
    }
    if (!a.json) report.insert(0, layers_summary(mesh, costs, division, a.strategy, a.objective));
    fmt::print("{}", report.empty() ? output::division_json(mesh, costs, division) : report);
    return Exit::done;
}

Exit run(const LayersArguments& a) {
    if (const auto fault = find_fault(a.traffic)) return complain(*fault);
    if (a.traffic.requests > 0 && (a.output == "-" || a.svg == "-"))
        return complain(
            {Fault::usage, "--simulate and a file called - both want standard output", "write the division to a file"});
    const auto mesh = input::read_mesh(a.mesh);
    if (!mesh) return complain(mesh.error());
    const auto costs = pipeline::appraise(*mesh);
    if (!costs) return complain(in_file(costs.error(), a.mesh));
    const auto division = pipeline::place(*costs, a.strategy, objective_of(a), {.carry_out = carry_out});
    if (!division) return complain(in_file(division.error(), a.mesh));
    if (const auto breach = find_breach(*costs, *division))
        return complain(
            {Fault::failed, "our own division is not valid: " + *breach, "this is a bug; please report it"});

    warn_of_little_room(*costs, *division);

    using Writer = std::string (*)(const Mesh&, const pipeline::Costs&, const pipeline::Division&);
    const std::vector<std::pair<const std::string&, Writer>> files{{a.output, output::division_json},
                                                                   {a.svg, output::division_svg}};
    for (const auto& [path, text_of] : files) {
        if (path.empty()) continue;
        if (const auto written = write_text(path, text_of(*mesh, *costs, *division)); !written)
            return complain(written.error());
        if (path != "-") fmt::print(stderr, "written: {}\n", path);
    }
    if (a.output == "-" || a.svg == "-") return Exit::done;  // standard output is taken
    return print(a, *mesh, *costs, *division);
}

std::vector<std::string> division_strategies() {
    std::vector<std::string> names{std::string(pipeline::kAutoStrategy)};
    for (const std::string_view name : pipeline::strategy_names()) names.emplace_back(name);
    return names;
}

}  // namespace

Command layers_command() {
    const auto a = std::make_shared<LayersArguments>();
    Command command{
        .name = "layers",
        .summary = "Share out a model's layers over unequal nodes, as pipelines or for the most tokens a second",
        .examples =
            "  switchyard layers examples/mesh.json\n"
            "  switchyard layers examples/mesh.json --objective throughput --json\n"
            "  switchyard layers examples/mesh.json --objective served\n"
            "  switchyard layers examples/mesh.json --strategy greedy --svg layers.svg\n"
            "  switchyard layers examples/mesh.json --simulate 10000 --rate 2 --routing rr,dp,flow\n"
            "  switchyard layers examples/mesh.json --simulate 2000 --rate 1.5 --scene examples/scene.yaml",
        .options = {{"CLUSTER", "", "Mesh file, JSON or YAML; - for stdin", &a->mesh, {}, true},
                    {"--strategy", "S",
                     fmt::format("One of: {} (default auto)", fmt::join(division_strategies(), ", ")), &a->strategy,
                     division_strategies()},
                    {"--objective",
                     "O",
                     "latency: whole pipelines; throughput: nodes may serve several, the greatest flow; served: the "
                     "same, the most "
                     "with the requests that nodes have room for (default: what the strategy is for)",
                     &a->objective,
                     {"latency", "throughput", "served"}},
                    {"-o,--output", "FILE", "Write the division as JSON", &a->output},
                    {"--svg", "FILE", "Draw which node holds which layers", &a->svg},
                    {"--json", "", "Print the division, or what --simulate found, as one JSON document", &a->json}},
        .run = [a] { return run(*a); }};
    for (Option& option : traffic_options(a->traffic)) command.options.push_back(std::move(option));
    return command;
}

}  // namespace sy::cli
