// The picture is a thousand units in a square that the page stretches to its room; strokes keep their width. The
// writing is no part of it but stands beside it at percentages, so it keeps its size on a phone and on paper.
#include "output/plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/figures.h"

namespace sy::output {

namespace {

constexpr std::size_t kColors = 6;
constexpr std::size_t kDashes = 3;

const char* name_of(Shape shape) {
    switch (shape) {
        case Shape::full: return "";
        case Shape::strip: return " small";
        case Shape::lowest_strip: return " small last";
    }
    return "";
}

std::string grid_html(const Plot& plot) {
    std::string path;
    for (const Mark& mark : plot.across) path += fmt::format("M{:.1f} 0V1000", 1000 * mark.at);
    for (const Mark& mark : plot.up) path += fmt::format("M0 {:.1f}H1000", 1000 * (1 - mark.at));
    return fmt::format("<path class=\"grid\" d=\"{}\"/>", path);
}

std::string line_html(const Line& line, bool filled) {
    std::string points;
    const auto tenths = [](double part) { return static_cast<double>(std::lround(10000 * part)) / 10; };
    const auto add = [&](double x, double y) {
        points += fmt::format("{}{:.6g},{:.6g}", points.empty() ? "" : " ", tenths(x), tenths(1 - y));
    };
    if (filled && !line.points.empty()) add(line.points.front().x, 0);
    for (const Point& point : line.points) add(std::clamp(point.x, 0.0, 1.0), std::clamp(point.y, 0.0, 1.0));
    if (filled && !line.points.empty()) add(line.points.back().x, 0);
    return fmt::format("<polyline class=\"{}{}\" data-name=\"{}\" points=\"{}\"/>", series_class(line.series),
                       filled ? " filled" : "", escaped(line.name), points);
}

std::string marks_html(const std::vector<Mark>& marks, const char* where, const char* from) {
    std::string html = fmt::format("<div class=\"{}\">", where);
    std::size_t number = 0;
    for (const Mark& mark : marks)
        html += fmt::format("<span{} style=\"{}:{:.2f}%\">{}</span>", number++ % 2 == 1 ? " class=\"odd\"" : "", from,
                            100 * mark.at, escaped(mark.label));
    return html + "</div>";
}

}  // namespace

std::string series_class(std::size_t series) {
    return fmt::format("s{} d{}", series % kColors, series / kColors % kDashes);
}

std::string swatch_html(std::size_t series) {
    return fmt::format(
        "<svg class=\"swatch\" viewBox=\"0 0 22 8\" aria-hidden=\"true\"><path class=\"{}\" d=\"M1 4H21\"/></svg>",
        series_class(series));
}

std::string plot_html(const Plot& plot) {
    std::string html = fmt::format(
        "<div class=\"plot{}\" {}><svg class=\"lines\" viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" "
        "role=\"img\" aria-label=\"{}\">",
        name_of(plot.shape), plot.reading, escaped(plot.says));
    html += grid_html(plot);
    for (const Line& line : plot.lines) html += line_html(line, plot.shape != Shape::full);
    return html + "</svg><i class=\"cross\"></i>" + marks_html(plot.up, "up", "bottom") +
           marks_html(plot.across, "across", "left") + "</div>\n";
}

}  // namespace sy::output
