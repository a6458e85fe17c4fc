#include "output/completion_plot.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace sy::output {

namespace {

/// A few jobs of no length would stretch a logarithmic axis for nothing: its left end is the first percentile.
constexpr std::size_t kOneInSoManyMayStickOut = 100;

Line line_of(const measure::Study& study, std::size_t series, const LogTimeAxis& axis) {
    Line line{series, study.order, {}};
    const std::vector<double>& times = study.completion_s;
    for (std::size_t q = 0; q < times.size(); ++q) {
        if (q + 1 < times.size() && axis.at(times[q + 1]) == 0) continue;
        line.points.push_back(
            {axis.at(times[q]), times.size() > 1 ? static_cast<double>(q) / static_cast<double>(times.size() - 1) : 1});
    }
    return line;
}

}  // namespace

std::optional<Plot> completion_plot(std::span<const measure::Study> studies) {
    double least = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const measure::Study& study : studies) {
        const std::vector<double>& times = study.completion_s;
        if (times.empty()) continue;
        least = std::min(least, times[times.size() / kOneInSoManyMayStickOut]);
        largest = std::max(largest, times.back());
    }
    if (!(largest > 0)) return std::nullopt;
    const LogTimeAxis axis(least, largest);
    Plot plot{"Part of the jobs that are done within a time, for each order", axis.marks(), {}, {}};
    for (const int percent : {0, 25, 50, 75, 100}) plot.up.push_back({percent / 100.0, fmt::format("{} %", percent)});
    for (std::size_t i = 0; i < studies.size(); ++i) plot.lines.push_back(line_of(studies[i], i, axis));
    return plot;
}

}  // namespace sy::output
