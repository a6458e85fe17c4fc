#include "output/division_svg.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/pipeline/with_room.h"
#include "output/colors.h"
#include "output/figures.h"

namespace sy::output {

namespace {

constexpr double kDivisionTop = 66;
constexpr double kDivisionWidth = 900;
constexpr double kRow = 24;
constexpr double kHeading = 24;
constexpr double kLetter = 6.6;
constexpr double kDigit = 5.7;  ///< Of what stands on bars.

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

/// On the bar where there is room, else beside it.
std::string label(const pipeline::Costs& costs, const Row& row, double x, double width, double y, double use) {
    const std::string text = fmt::format("{}–{} · {:.0f} tokens/s · {:.1f} ms", row.range.first, row.range.end - 1,
                                         per_second(row.rate), to_seconds(costs.time(row.node, row.range)) * 1e3);
    const double needs = kDigit * static_cast<double>(text.size() - 4);  // dots and a dash take several bytes
    const bool inside = width >= needs + 10;
    const bool at_left = !inside && kDivisionWidth * row.range.end / costs.layers + needs > kDivisionWidth;
    const std::string ink = inside && use > 0.5 ? color_of_model(row.color).ink : "#14171a";
    const double from = inside ? x + 8 : at_left ? x - 6 : x + width + 6;
    return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-size="10.5" fill="{}">{}</text>)", from,
                       y + kRow / 2 + 4, at_left ? "end" : "start", ink, text);
}

std::string bar(const Mesh& mesh, const pipeline::Costs& costs, const Row& row, double x, double width, double y) {
    const pipeline::Rate can = costs.rate(row.node, row.range);
    const double use = can > 0 ? std::clamp(per_second(row.rate) / per_second(can), 0.0, 1.0) : 0;
    return fmt::format(
               R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3" fill="{}" fill-opacity="{:.2f}">)"
               R"(<title>{} · layers {} to {} · {:.1f} of {:.1f} tokens/s</title></rect>)",
               x, y + 2, std::max(width, 1.0), kRow - 4, color_of_model(row.color).fill, 0.35 + 0.65 * use,
               escaped(mesh.nodes[row.node].id), row.range.first, row.range.end, per_second(row.rate),
               per_second(can)) +
           label(costs, row, x, width, y, use);
}

std::string titles(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division, double left) {
    const pipeline::RateWithRoom with = rate_with_room(costs, division);
    return fmt::format(R"(<text x="{:.0f}" y="18" font-size="14" font-weight="600" fill="#14171a">{}</text>)", left,
                       escaped(fmt::format("{} · {} layers over {} of {} nodes", mesh.model.name, costs.layers,
                                           division.holds.size(), mesh.nodes.size()))) +
           fmt::format(R"(<text x="{:.0f}" y="36" fill="#555">{}</text>)", left,
                       fmt::format("{:.1f} tokens/s of at most {:.1f}; {:.1f} with the {} requests at once that nodes "
                                   "have room for",
                                   per_second(division.rate), per_second(division.bound), per_second(with.rate),
                                   with.requests));
}

std::string scale(const pipeline::Costs& costs, double left, double bottom) {
    std::string out = fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="end" fill="#555">layer</text>)", left - 8,
                                  kDivisionTop - 10);
    const pipeline::Layer step = std::max(1U, (costs.layers + 7) / 8);
    for (pipeline::Layer l = 0; l <= costs.layers; l += step) {
        const double x = left + kDivisionWidth * l / costs.layers;
        out += fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:.1f}" stroke="#e4e4e4"/>)", x,
                           kDivisionTop - 6, bottom);
        out += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#555">{}</text>)", x,
                           kDivisionTop - 10, l);
    }
    return out + "\n";
}

std::string heading(const pipeline::Costs& costs, const pipeline::Division& division, std::size_t p, double left,
                    double y) {
    const auto& [stages, rate] = division.pipelines[p];
    return fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" font-weight="600" fill="#333">pipeline {} · a token in {:.1f} ms · {:.1f} tokens/s</text>)",
        left, y + kHeading - 6, p + 1, to_seconds(latency(costs, stages)) * 1e3, per_second(rate));
}

}  // namespace

std::string division_svg(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division) {
    const std::vector<Row> rows = rows_of(costs, division);
    std::size_t longest = 5;
    for (const Row& row : rows) longest = std::max(longest, std::min<std::size_t>(mesh.nodes[row.node].id.size(), 40));
    const double left = 20 + kLetter * static_cast<double>(longest);
    const bool shared = division.objective == pipeline::Objective::throughput;
    const double headings = shared ? 0 : kHeading * static_cast<double>(division.pipelines.size());
    const double bottom = kDivisionTop + kRow * static_cast<double>(rows.size()) + headings;
    const auto x = [&](pipeline::Layer l) { return left + kDivisionWidth * l / costs.layers; };

    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="system-ui, sans-serif" font-size="11">)",
        left + kDivisionWidth + 20, bottom + 12);
    const auto add = [&out](const std::string& line) { out += "\n" + line; };
    add(R"(<rect width="100%" height="100%" fill="white"/>)");
    add(titles(mesh, costs, division, left));
    add(scale(costs, left, bottom));
    double y = kDivisionTop;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [node, range, pipeline, rate] = rows[i];
        if (!shared && (i == 0 || pipeline != rows[i - 1].color)) {
            add(heading(costs, division, pipeline, left, y));
            y += kHeading;
        }
        add(fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill="#333">{}</text>)", left - 8,
                        y + kRow / 2 + 4, escaped(mesh.nodes[node].id)));
        add(bar(mesh, costs, rows[i], x(range.first), x(range.end) - x(range.first), y));
        y += kRow;
    }
    return out + "\n</svg>\n";
}

}  // namespace sy::output
