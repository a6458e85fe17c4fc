#include "output/division_svg.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "output/colors.h"
#include "output/figures.h"

namespace sy::output {

namespace {

constexpr double kTop = 46;
constexpr double kWidth = 900;
constexpr double kRow = 22;
constexpr double kLetter = 6.6;

struct Row {
    pipeline::NodeIndex node = 0;
    pipeline::Range range;
    std::size_t color = 0;
    pipeline::Rate rate = 0;  ///< What goes through it.
};

std::vector<Row> rows_of(const pipeline::Costs& costs, const pipeline::Division& division) {
    std::vector<Row> by_node(costs.nodes.size());
    std::size_t pipeline = 0;
    const bool shared = division.objective == pipeline::Objective::throughput;
    for (const auto& [stages, rate] : division.pipelines) {
        for (const pipeline::Stage& stage : stages) {
            by_node[stage.node].color = shared ? 0 : pipeline;
            by_node[stage.node].rate += rate;
        }
        ++pipeline;
    }
    std::vector<Row> rows;
    for (const auto& [node, range] : division.holds)
        rows.push_back({node, range, by_node[node].color, by_node[node].rate});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tuple(a.color, a.range, a.node) < std::tuple(b.color, b.range, b.node);
    });
    return rows;
}

double per_second(pipeline::Rate rate) {
    return static_cast<double>(rate) / static_cast<double>(pipeline::kTokenPerSecond);
}

std::string bar(const Mesh& mesh, const pipeline::Costs& costs, const Row& row, double x, double width, double y) {
    const pipeline::Rate can = costs.rate(row.node, row.range);
    const double use = can > 0 ? std::clamp(per_second(row.rate) / per_second(can), 0.0, 1.0) : 0;
    return fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3" fill="{}" fill-opacity="{:.2f}">)"
        R"(<title>{} · layers {} to {} · {:.1f} of {:.1f} tokens/s</title></rect>)",
        x, y + 2, std::max(width, 1.0), kRow - 4, color_of_model(row.color).fill, 0.35 + 0.65 * use,
        escaped(mesh.nodes[row.node].id), row.range.first, row.range.end, per_second(row.rate), per_second(can));
}

}  // namespace

std::string division_svg(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division) {
    const std::vector<Row> rows = rows_of(costs, division);
    std::size_t longest = 4;
    for (const Row& row : rows) longest = std::max(longest, std::min<std::size_t>(mesh.nodes[row.node].id.size(), 40));
    const double left = 20 + kLetter * static_cast<double>(longest);
    const double bottom = kTop + kRow * static_cast<double>(rows.size());
    const auto x = [&](pipeline::Layer l) { return left + kWidth * l / costs.layers; };

    std::string out;
    const auto add = [&out](const std::string& line) { out += line + "\n"; };
    add(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="system-ui, sans-serif" font-size="11">)",
        left + kWidth + 20, bottom + 12));
    add(R"(<rect width="100%" height="100%" fill="white"/>)");
    add(fmt::format(R"(<text x="{:.0f}" y="18" font-size="14" font-weight="600">{}</text>)", left,
                    escaped(fmt::format("{} · {} layers · {} of {} nodes · {:.1f} tokens/s of at most {:.1f}",
                                        mesh.model.name, costs.layers, rows.size(), mesh.nodes.size(),
                                        per_second(division.rate), per_second(division.bound)))));
    const pipeline::Layer step = std::max(1U, (costs.layers + 7) / 8);
    for (pipeline::Layer l = 0; l <= costs.layers; l += step) {
        add(fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:.1f}" stroke="#e4e4e4"/>)", x(l), kTop - 4,
                        bottom));
        add(fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#555">{}</text>)", x(l), kTop - 8, l));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double y = kTop + kRow * static_cast<double>(i);
        add(fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill="#333">{}</text>)", left - 8,
                        y + kRow / 2 + 4, escaped(mesh.nodes[rows[i].node].id)));
        add(bar(mesh, costs, rows[i], x(rows[i].range.first), x(rows[i].range.end) - x(rows[i].range.first), y));
    }
    add("</svg>");
    return out;
}

}  // namespace sy::output
