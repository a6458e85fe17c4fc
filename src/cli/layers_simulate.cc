#include "cli/layers_simulate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "core/model/describe.h"
#include "core/pipeline/route/routers.h"
#include "core/pipeline/with_room.h"
#include "sim/traffic/traffic.h"

namespace sy::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kMostRequests = 10'000'000;
constexpr double kMostTokens = 1e6;
constexpr double kLeastPerSecond = 1e-6;
constexpr double kMostPerSecond = 1e6;
constexpr double kLongest = 100 * 365.25 * 86'400;  ///< Of a simulation, in seconds: its clock ends at 292 years.
constexpr double kLongestGap = 1e6;
constexpr double kUsualLoad = 0.6;
constexpr double kFlood = 4;
constexpr std::uint64_t kFloodRequests = 2'000;
constexpr std::size_t kWidestId = 24;
constexpr std::size_t kMostNodes = 40;

struct Trial {
    std::string routing;
    sim::TrafficFigures figures;
};

double milliseconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names{""};
    for (const char c : list) {
        if (c == ',')
            names.emplace_back();
        else
            names.back() += c;
    }
    return names;
}

ordered_json spread_json(const sim::Spread& spread) {
    return {{"mean", milliseconds(spread.mean)}, {"p50", milliseconds(spread.p50)}, {"p99", milliseconds(spread.p99)}};
}

ordered_json nodes_json(const Mesh& mesh, const sim::TrafficFigures& figures) {
    ordered_json list = ordered_json::array();
    for (const auto& [node, requests, busy, in_flight, failures] : figures.nodes)
        list.push_back({{"id", mesh.nodes[node].id},
                        {"requests", requests},
                        {"busy", busy},
                        {"in_flight", in_flight},
                        {"failures", failures}});
    return list;
}

ordered_json levels_json(const sim::TrafficFigures& figures) {
    ordered_json list = ordered_json::array();
    for (const auto& [level, completed, latency, wait] : figures.levels)
        list.push_back({{"level", name_of(level)},
                        {"completed", completed},
                        {"latency_ms", spread_json(latency)},
                        {"wait_ms", spread_json(wait)}});
    return list;
}

ordered_json trial_json(const Mesh& mesh, const Trial& trial) {
    const sim::TrafficFigures& f = trial.figures;
    return {{"routing", trial.routing},
            {"arrived", f.arrived},
            {"completed", f.completed},
            {"refused", f.refused},
            {"failed", f.failed},
            {"waited", f.waited},
            {"moved", f.moved},
            {"node_failures", f.failures},
            {"span_s", to_seconds(f.span)},
            {"requests_per_s", f.requests_per_s},
            {"tokens_per_s", f.tokens_per_s},
            {"latency_ms", spread_json(f.latency)},
            {"first_token_ms", spread_json(f.first_token)},
            {"wait_ms", spread_json(f.wait)},
            {"levels", levels_json(f)},
            {"balance", f.balance},
            {"hop_share", f.hop_share},
            {"hop_bytes", f.hop_bytes},
            {"nodes", nodes_json(mesh, f)},
            {"events", f.events},
            {"digest", fmt::format("{:016x}", f.digest)}};
}

std::string report_json(const Mesh& mesh, const std::vector<Trial>& trials, const TrafficWishes& wishes, double rate) {
    ordered_json document{
        {"model", mesh.model.name},          {"requests", wishes.requests},  {"rate_per_s", rate},
        {"prompt_mean", wishes.prompt},      {"answer_mean", wishes.answer}, {"seed", wishes.seed},
        {"fail_every_s", wishes.fail_every}, {"high_share", wishes.high},    {"routings", ordered_json::array()}};
    for (const Trial& trial : trials) document["routings"].push_back(trial_json(mesh, trial));
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string node_lines(const Mesh& mesh, const std::vector<Trial>& trials) {
    std::string out = fmt::format("\n{:<{}}", "busy, in flight", kWidestId);
    for (const Trial& trial : trials) fmt::format_to(std::back_inserter(out), " {:>15}", trial.routing);
    out += "\n";
    const auto& nodes = trials.front().figures.nodes;
    for (std::size_t n = 0; n < std::min(nodes.size(), kMostNodes); ++n) {
        fmt::format_to(std::back_inserter(out), "{:<{}}", printable(mesh.nodes[nodes[n].node].id, kWidestId),
                       kWidestId);
        for (const Trial& trial : trials) {
            const sim::NodeFigures& node = trial.figures.nodes[n];
            fmt::format_to(std::back_inserter(out), " {:>6.1f} % {:>6.1f}", 100 * node.busy, node.in_flight);
        }
        out += "\n";
    }
    if (nodes.size() > kMostNodes)
        fmt::format_to(std::back_inserter(out), "and {} more; --json shows all\n", nodes.size() - kMostNodes);
    return out;
}

std::string report_text(const Mesh& mesh, const std::vector<Trial>& trials, const TrafficWishes& wishes, double rate) {
    std::string out = fmt::format(
        "\n{} requests, {:.3f} a second, prompts of {:g} and answers of {:g} tokens in the mean, seed {}\n\n",
        wishes.requests, rate, wishes.prompt, wishes.answer, wishes.seed);
    fmt::format_to(std::back_inserter(out), "{:<7} {:>10} {:>10} {:>10} {:>11} {:>10} {:>10} {:>8} {:>8} {:>6}\n",
                   "routing", "latency s", "p50", "p99", "1st token s", "wait s", "tokens/s", "refused", "balance",
                   "hops");
    for (const auto& [routing, f] : trials)
        fmt::format_to(std::back_inserter(out),
                       "{:<7} {:>10.3f} {:>10.3f} {:>10.3f} {:>11.3f} {:>10.3f} {:>10.1f} {:>8} {:>8.3f} {:>4.1f} %\n",
                       routing, to_seconds(f.latency.mean), to_seconds(f.latency.p50), to_seconds(f.latency.p99),
                       to_seconds(f.first_token.mean), to_seconds(f.wait.mean), f.tokens_per_s, f.refused, f.balance,
                       100 * f.hop_share);
    for (const auto& [routing, f] : trials)
        if (f.failures > 0)
            fmt::format_to(std::back_inserter(out),
                           "{}: nodes failed {} times, {} times a request took another way, {} requests failed\n",
                           routing, f.failures, f.moved, f.failed);
    for (const auto& [routing, f] : trials)
        for (const auto& [level, completed, latency, wait] : f.levels)
            if (f.levels.size() > 1)
                fmt::format_to(std::back_inserter(out),
                               "{}, {}: {} completed, {:.3f} s in the mean, {:.3f} s of it waiting\n", routing,
                               name_of(level), completed, to_seconds(latency.mean), to_seconds(wait.mean));
    return out + node_lines(mesh, trials);
}

}  // namespace

/// Reading prompts takes its part of what nodes can do, how much is known when it was tried: by a flood.
double rate_of(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
               const TrafficWishes& wishes) {
    if (wishes.rate > 0) return wishes.rate;
    const double tokens_per_s = static_cast<double>(rate_with_room(costs, division).rate) / pipeline::kTokenPerSecond;
    const double promised = std::clamp(tokens_per_s / wishes.answer, 1e-6, kMostPerSecond / kFlood);
    const sim::TrafficRecipe recipe{kFloodRequests, kFlood * promised, wishes.prompt, wishes.answer,
                                    mesh.settings.max_sequence};
    sim::TrafficSettings settings;
    settings.routing = names_in(wishes.routing).front();
    settings.activation_bytes = activation_bytes(mesh.model);
    const auto flooded = sim::run_traffic(costs, division, sim::draw_traffic(recipe, Random(wishes.seed)), settings);
    const double through = flooded ? flooded->requests_per_s : promised;
    return kUsualLoad * std::clamp(through, 1e-6, promised);
}

std::vector<std::string> routings_of(const TrafficWishes& wishes) {
    return names_in(wishes.routing);
}

std::uint64_t activation_bytes(const ModelShape& model) {
    return static_cast<std::uint64_t>(std::ceil(std::max(2.0, model.param_bytes))) * model.hidden;
}

std::optional<Error> find_fault(const TrafficWishes& wishes) {
    const auto usage = [](std::string message, std::string fix) {
        return Error{Fault::usage, std::move(message), std::move(fix)};
    };
    if (wishes.requests == 0) {
        if (wishes == TrafficWishes{}) return {};
        return usage("requests are described, but none is simulated", "say how many with --simulate N");
    }
    if (wishes.rate > 0 && static_cast<double>(wishes.requests) / wishes.rate > kLongest)
        return usage(fmt::format("{} requests at {} a second take longer than a century", wishes.requests, wishes.rate),
                     "simulate fewer, or raise --rate");
    for (const auto& [name, mean] : {std::pair("--prompt", wishes.prompt), std::pair("--answer", wishes.answer)})
        if (!(mean >= 1 && mean <= kMostTokens))
            return usage(fmt::format("{} {} is not from 1 to {}", name, mean, kMostTokens), "a mean number of tokens");
    if (!(wishes.high >= 0 && wishes.high <= 1))
        return usage(fmt::format("--high {} is not from 0 to 1", wishes.high), "a share of the requests");
    if (wishes.fail_every != 0 && !(wishes.fail_every >= 1 && wishes.fail_every <= kLongestGap))
        return usage(fmt::format("--fail-every {} is neither 0 nor from 1 to {}", wishes.fail_every, kLongestGap),
                     "seconds; 0: never");
    if (!wishes.scene.empty() && wishes.fail_every != 0)
        return usage("--scene and --fail-every both say when nodes fail", "let the scene say it");
    const auto known = pipeline::router_names();
    for (const std::string& name : names_in(wishes.routing))
        if (std::find(known.begin(), known.end(), name) == known.end())
            return usage(fmt::format("there is no routing '{}'", printable(name, kWidestId)),
                         fmt::format("one or several of: {}", fmt::join(known, ",")));
    return {};
}

std::vector<Option> traffic_options(TrafficWishes& wishes) {
    return {
        between(1, kMostRequests,
                {"--simulate", "N", "Send N requests through the division and report how they fare", &wishes.requests}),
        between(kLeastPerSecond, kMostPerSecond,
                {"--rate", "R", "Requests a second (default: 0.6 of what gets through when more come than can)",
                 &wishes.rate}),
        {"--routing", "NAMES", "dp, flow, rr, or several with commas between (default dp)", &wishes.routing},
        {"--prompt", "MEAN", "Tokens of a prompt in the mean (default 512)", &wishes.prompt},
        {"--answer", "MEAN", "Tokens of an answer in the mean (default 128)", &wishes.answer},
        {"--high", "SHARE", "Of the requests, from 0 to 1, that come at high priority (default 0)", &wishes.high},
        {"--fail-every", "S", "A node fails every S seconds in the mean, for a minute (default: none does)",
         &wishes.fail_every},
        {"--scene", "FILE", "Nodes that join, leave and fail, and rates that change, as YAML or JSON", &wishes.scene},
        {"--seed", "N", "Of requests and failures (default 1)", &wishes.seed}};
}

Result<std::string> simulate_layers(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                                    const TrafficWishes& wishes, bool json) {
    if (costs.layers > pipeline::Shards::kMostLayers)
        return fail(Fault::invalid_input,
                    fmt::format("{} layers are too many to simulate, the limit is {}", costs.layers,
                                pipeline::Shards::kMostLayers),
                    "simulate a smaller model");
    const double rate = rate_of(mesh, costs, division, wishes);
    const sim::TrafficRecipe recipe{wishes.requests, rate, wishes.prompt, wishes.answer, mesh.settings.max_sequence,
                                    wishes.high};
    const auto requests = sim::draw_traffic(recipe, Random(wishes.seed));
    sim::TrafficSettings settings;
    settings.fail_every = Duration(std::llround(wishes.fail_every * 1e9));
    settings.seed = wishes.seed;
    settings.activation_bytes = activation_bytes(mesh.model);
    std::vector<Trial> trials;
    for (const std::string& name : names_in(wishes.routing)) {
        settings.routing = name;
        auto figures = sim::run_traffic(costs, division, requests, settings);
        if (!figures) return tl::unexpected(std::move(figures.error()));
        trials.push_back({name, *std::move(figures)});
    }
    return json ? report_json(mesh, trials, wishes, rate) : report_text(mesh, trials, wishes, rate);
}

}  // namespace sy::cli
