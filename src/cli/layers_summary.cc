#include "cli/layers_summary.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "core/pipeline/appraise.h"
#include "core/pipeline/with_room.h"

namespace sy::cli {

namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kWidestId = 24;
constexpr std::size_t kMostPipelines = 16;
constexpr std::size_t kMostUnused = 8;

double per_second(pipeline::Rate rate) {
    return static_cast<double>(rate) / static_cast<double>(pipeline::kTokenPerSecond);
}

double milliseconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

std::string id_of(const Mesh& mesh, pipeline::NodeIndex node) {
    return printable(mesh.nodes[node].id, kWidestId);
}

/// '#' where the node's layers lie in the whole model; one at least.
std::string bar(pipeline::Range range, pipeline::Layer layers) {
    const std::size_t begin = std::min(std::size_t{range.first} * kBarWidth / layers, kBarWidth - 1);
    const std::size_t end = std::max(std::size_t{range.end} * kBarWidth / layers, begin + 1);
    return std::string(begin, '.') + std::string(end - begin, '#') + std::string(kBarWidth - end, '.');
}

std::string memory(const pipeline::Costs& costs, pipeline::NodeIndex node, pipeline::Range range) {
    constexpr double kGb = 1e9;
    if (costs.nodes[node].room >= pipeline::kEndlessRoom) return "";
    return fmt::format("{:>6.1f} of {:.1f} GB", static_cast<double>(costs.bytes(range)) / kGb,
                       static_cast<double>(costs.nodes[node].room) / kGb);
}

std::string lines_of(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Pipeline& stages) {
    std::size_t widest = 0;
    for (const pipeline::Stage& stage : stages) widest = std::max(widest, id_of(mesh, stage.node).size());
    std::string out;
    for (const auto& [node, range] : stages)
        fmt::format_to(std::back_inserter(out), "  {:<{}} {} {:>4}-{:<4} {:>9.3f} ms {:>10.1f} tokens/s  {}\n",
                       id_of(mesh, node), widest, bar(range, costs.layers), range.first, range.end - 1,
                       milliseconds(costs.time(node, range)), per_second(costs.rate(node, range)),
                       memory(costs, node, range));
    return out;
}

std::string unused_line(const Mesh& mesh, const std::vector<pipeline::NodeIndex>& nodes) {
    std::string out;
    for (std::size_t i = 0; i < std::min(nodes.size(), kMostUnused); ++i)
        out += (i == 0 ? "" : ", ") + id_of(mesh, nodes[i]);
    if (nodes.size() > kMostUnused) out += fmt::format(" and {} more", nodes.size() - kMostUnused);
    return nodes.empty() ? "no node" : out;
}

std::string room_line(const Mesh& mesh, const pipeline::RateWithRoom& with) {
    std::string out = fmt::format("{:.3f} tokens/s with the {} requests at once that nodes have room for",
                                  per_second(with.rate), with.requests);
    if (with.tightest)
        fmt::format_to(std::back_inserter(out), "; {} is full first, {}", id_of(mesh, *with.tightest),
                       with.by_memory ? "of keys and values" : "by max_concurrent");
    return out;
}

/// As the user typed it, and which it came to.
std::string name_of(std::string_view strategy, const pipeline::Division& division) {
    if (division.strategy.empty() || division.strategy == strategy) return std::string(strategy);
    return fmt::format("{} ({})", strategy, division.strategy);
}

/// What fewer nodes on a token's way would cost.
std::string front_line(const pipeline::Front& front) {
    std::string out;
    for (const pipeline::FrontPoint& point : front)
        fmt::format_to(std::back_inserter(out), "{}{:.1f} over {:.1f} nodes", out.empty() ? "" : ", ",
                       per_second(point.rate), static_cast<double>(point.mean_thousandths) / 1000);
    return out;
}

}  // namespace

std::string layers_summary(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                           std::string_view strategy, std::string_view objective) {
    const bool shared = division.objective == pipeline::Objective::throughput;
    if (objective.empty()) objective = shared ? "throughput" : "latency";
    std::string out =
        fmt::format("{}: {} layers over {} of {} nodes, strategy {}, objective {}\n",
                    mesh.model.name.empty() ? "model" : printable(mesh.model.name, kBarWidth), costs.layers,
                    division.holds.size(), mesh.nodes.size(), name_of(strategy, division), objective);
    const auto line = [&out](const char* what, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "  {:<10} {}\n", what, text);
    };
    line("pipelines", fmt::format("{}{}", division.pipelines.size(), shared ? ", which share nodes" : ""));
    line("tokens/s", fmt::format("{:.3f}, and no division gives more than {:.3f}", per_second(division.rate),
                                 per_second(division.bound)));
    line("with room", room_line(mesh, rate_with_room(costs, division)));
    if (division.front.size() > 1) line("fewer hops", front_line(division.front));
    line("bottleneck", fmt::format("{:.3f} ms", milliseconds(bottleneck(costs, division))));
    line("unused", unused_line(mesh, unused(costs, division)));
    if (shared) {
        pipeline::Pipeline holds;
        for (const auto& [node, range] : division.holds) holds.push_back({node, range});
        std::sort(holds.begin(), holds.end(), [](const pipeline::Stage& a, const pipeline::Stage& b) {
            return a.range != b.range ? a.range < b.range : a.node < b.node;
        });
        return out + "\n" + lines_of(mesh, costs, holds);
    }
    for (std::size_t p = 0; p < std::min(division.pipelines.size(), kMostPipelines); ++p) {
        const auto& [stages, rate] = division.pipelines[p];
        fmt::format_to(std::back_inserter(out), "\npipeline {}: a token in {:.3f} ms, {:.1f} tokens/s\n", p + 1,
                       milliseconds(latency(costs, stages)), per_second(rate));
        out += lines_of(mesh, costs, stages);
    }
    if (division.pipelines.size() > kMostPipelines)
        fmt::format_to(std::back_inserter(out), "\nand {} more; --json shows all\n",
                       division.pipelines.size() - kMostPipelines);
    return out;
}

}  // namespace sy::cli
