#include "output/plot_svg.h"

#include <algorithm>

#include <fmt/format.h>

#include "output/figures.h"
#include "output/html_theme.h"
#include "output/simulate_page.h"

namespace sy::output {

namespace {

constexpr double kPlotWidth = 760;
constexpr double kHeight = 250;
constexpr double kLeft = 48;
constexpr double kRight = 172;
constexpr double kPlotTop = 12;
constexpr double kBottom = 26;
constexpr double kLegendStep = 19;

double across(double part) {
    return kLeft + std::clamp(part, 0.0, 1.0) * (kPlotWidth - kLeft - kRight);
}
double down(double part) {
    return kHeight - kBottom - std::clamp(part, 0.0, 1.0) * (kHeight - kPlotTop - kBottom);
}

std::string marks(const Plot& plot) {
    std::string svg;
    for (const Mark& mark : plot.across)
        svg += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>"
            "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
            across(mark.at), down(0), down(1), down(0) + 17, escaped(mark.label));
    for (const Mark& mark : plot.up)
        svg += fmt::format(
            "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>"
            "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
            across(0), down(mark.at), across(1), kLeft - 7, down(mark.at) + 4, escaped(mark.label));
    return svg;
}

std::string line(const Line& line, std::size_t place) {
    std::string points;
    for (const Point& point : line.points) points += fmt::format("{:.1f},{:.1f} ", across(point.x), down(point.y));
    if (!points.empty()) points.pop_back();
    const double x = kPlotWidth - kRight + 14;
    const double y = kPlotTop + 10 + kLegendStep * static_cast<double>(place);
    const std::string look = series_class(line.series);
    return fmt::format(
        "<polyline class=\"{0}\" points=\"{1}\"/><path class=\"{0} key\" d=\"M{2:.1f} {3:.1f}h22\"/>"
        "<text class=\"name\" x=\"{4:.1f}\" y=\"{5:.1f}\">{6}</text>\n",
        look, points, x, y, x + 28, y + 4, escaped(line.name));
}

}  // namespace

std::string plot_svg(const Plot& plot) {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n"
        "<title>{2}</title>\n<style>\n{3}{4}{5}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
        kPlotWidth, kHeight, escaped(plot.says), kTheme, kSeriesStyle,
        "text { font: 12px system-ui, sans-serif; fill: var(--soft); } .name { fill: var(--ink); }\n"
        ".paper { fill: var(--paper); } .grid { stroke: var(--line); } .key { stroke-width: 3; }\n"
        "polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }\n");
    svg += marks(plot);
    for (std::size_t i = 0; i < plot.lines.size(); ++i) svg += line(plot.lines[i], i);
    return svg + "</svg>\n";
}

}  // namespace sy::output
