#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "output/charts.h"
#include "output/colors.h"
#include "output/figures.h"
#include "output/names.h"

namespace sy::output {

namespace {

constexpr double kLeft = 70;
constexpr double kTop = 46;
constexpr double kWidth = 1100;
constexpr std::size_t kBarsToTellApart = 4000;

struct Bar {
    std::uint32_t gpu = 0;
    std::uint32_t count = 1;
    Instant start;
    Instant end;
    ModelId model;
    bool is_switch = false;
    std::string title;
};

std::string span_of_time(Instant start, Instant end) {
    return fmt::format("{:.3f}–{:.3f} s", to_seconds(start - kStart), to_seconds(end - kStart));
}

/// Where there are too many bars to tell apart, those of one model that touch or nearly touch become one.
std::vector<Bar> bars_of(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    const bool merge = plan.jobs.size() > kBarsToTellApart;
    const Duration nothing_to_see = plan.makespan() / static_cast<std::int64_t>(2 * kWidth);
    std::vector<Bar> bars;
    std::vector<std::size_t> last(batch.gpus.size(), SIZE_MAX);
    for (const PlannedJob& job : plan.jobs) {
        const std::uint32_t gpu = job.gpus.first.value();
        if (job.load)
            bars.push_back(
                {gpu, job.gpus.count, job.load->start, job.load->end, names.model_id(job.job), true,
                 fmt::format("load {} · {}", names.model(job.job), span_of_time(job.load->start, job.load->end))});
        const bool follows =
            merge && !job.load && last[gpu] != SIZE_MAX && job.start - bars[last[gpu]].end <= nothing_to_see;
        if (follows) {
            Bar& run = bars[last[gpu]];
            run.end = job.end;
            run.title = fmt::format("{} · {}", names.model(job.job), span_of_time(run.start, run.end));
            continue;
        }
        last[gpu] = bars.size();
        bars.push_back({gpu, job.gpus.count, job.start, job.end, names.model_id(job.job), false,
                        fmt::format("{} · {} / {} · {}", names.model(job.job), names.request(job.job),
                                    names.step(job.job).name, span_of_time(job.start, job.end))});
    }
    return bars;
}

std::string headline(const Batch& batch, const Plan& plan) {
    const auto rounded = [](Duration d) { return describe(d - d % 1ms); };
    std::uint64_t switches = 0;
    for (const GpuUse& use : use_of_gpus(plan, batch.gpus.size())) switches += use.switches;
    return fmt::format("Makespan {} · bound {} · {} · {} switches · {}", rounded(plan.makespan()),
                       rounded(plan.lower_bound),
                       plan.proven_optimal ? "proven shortest" : fmt::format("gap {:.2f} %", 100 * plan.gap()),
                       switches, plan.strategy);
}

/// Wide bars leave a gap to the next, the narrowest can still be seen.
double seen_width(double width) {
    return width > 3 ? width - 0.7 : std::max(width, 0.3);
}

/// 1, 2 or 5 times a power of ten, so that some eight marks fit.
double mark_distance(double seconds) {
    const double rough = std::max(seconds, 1e-9) / 8;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double step : {1.0, 2.0, 5.0})
        if (rough <= step * power) return step * power;
    return 10 * power;
}

}  // namespace

std::string plan_svg(const Batch& batch, const Plan& plan) {
    const double seconds = std::max(to_seconds(plan.makespan()), 1e-9);
    const double lane = std::clamp(640.0 / static_cast<double>(batch.gpus.size()), 1.5, 26.0);
    const double bottom = kTop + lane * static_cast<double>(batch.gpus.size());
    const auto x = [seconds](double s) { return kLeft + kWidth * s / seconds; };
    const auto at = [&x](Instant t) { return x(to_seconds(t - kStart)); };
    const auto bars = bars_of(batch, plan);
    std::set<ModelId> shown;
    for (const Bar& bar : bars) shown.insert(bar.model);
    std::size_t longest = 0;
    for (const ModelId model : shown) longest = std::max(longest, batch.models[model.value()].name.size());
    const double column = std::min(kWidth, 40 + 6.5 * static_cast<double>(longest));
    const auto columns = static_cast<std::size_t>(kWidth / column);
    const std::size_t legend_rows = (shown.size() + columns - 1) / columns;

    std::string out;
    const auto add = [&out](const std::string& line) { out += line + "\n"; };
    add(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="system-ui, sans-serif" font-size="11">)",
        kLeft + kWidth + 20, bottom + 34 + 16 * static_cast<double>(legend_rows)));
    add(R"svg(<defs><pattern id="switch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="5" height="5" fill="#ddd"/><rect width="2" height="5" fill="#888"/></pattern></defs>)svg");
    add(R"(<rect width="100%" height="100%" fill="white"/>)");
    add(fmt::format(R"(<text x="{}" y="18" font-size="14" font-weight="600">{}</text>)", kLeft,
                    escaped(headline(batch, plan))));
    for (double s = 0; s <= seconds; s += mark_distance(seconds)) {
        add(fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:.1f}" stroke="#e4e4e4"/>)", x(s), kTop - 4,
                        bottom));
        add(fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#555">{:g} s</text>)", x(s), kTop - 8,
                        s));
    }
    std::size_t labelled = 1;
    while (static_cast<double>(labelled) * lane < 12) labelled *= 2;
    for (std::size_t gpu = 0; gpu < batch.gpus.size(); ++gpu)
        if (gpu % labelled == 0)
            add(fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end" fill="#333">gpu{}</text>)", kLeft - 8,
                            kTop + lane * (static_cast<double>(gpu) + 0.5) + 4, gpu));
    add(lane < 6 ? R"(<g shape-rendering="crispEdges">)" : "<g>");
    for (const Bar& bar : bars)
        add(fmt::format(
            R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"><title>{}</title></rect>)",
            at(bar.start), kTop + lane * bar.gpu + (lane >= 6 ? 1 : 0), seen_width(at(bar.end) - at(bar.start)),
            lane * bar.count - (lane >= 6 ? 2 : 0),
            bar.is_switch ? "url(#switch)" : color_of_model(bar.model.value()).fill, escaped(bar.title)));
    add("</g>");
    std::size_t place = 0;
    for (const ModelId model : shown) {
        const std::size_t row = place / columns;
        const double lx = kLeft + static_cast<double>(place % columns) * column;
        const double ly = bottom + 14 + static_cast<double>(row) * 16;
        add(fmt::format(
            R"(<rect x="{}" y="{}" width="10" height="10" fill="{}"/><text x="{}" y="{}" fill="#333">{}</text>)", lx,
            ly, color_of_model(model.value()).fill, lx + 15, ly + 9, escaped(batch.models[model.value()].name)));
        ++place;
    }
    add("</svg>");
    return out;
}

}  // namespace sy::output
