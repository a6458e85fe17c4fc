#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "output/charts.h"
#include "output/colors.h"
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

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

std::string span_of_time(Instant start, Instant end) {
    return fmt::format("{:.3f}–{:.3f} s", to_seconds(start - kStart), to_seconds(end - kStart));
}

std::vector<Bar> bars_of(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    const bool merge = plan.jobs.size() > kBarsToTellApart;
    std::vector<Bar> bars;
    std::vector<std::size_t> last(batch.gpus.size(), SIZE_MAX);
    for (const PlannedJob& job : plan.jobs) {
        const std::uint32_t gpu = job.gpus.first.value();
        if (job.load)
            bars.push_back(
                {gpu, job.gpus.count, job.load->start, job.load->end, names.model_id(job.job), true,
                 fmt::format("load {} · {}", names.model(job.job), span_of_time(job.load->start, job.load->end))});
        const bool follows = merge && !job.load && last[gpu] != SIZE_MAX && bars[last[gpu]].end == job.start;
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
    const double lane = std::clamp(640.0 / static_cast<double>(batch.gpus.size()), 6.0, 26.0);
    const double bottom = kTop + lane * static_cast<double>(batch.gpus.size());
    const auto x = [seconds](double s) { return kLeft + kWidth * s / seconds; };
    const auto at = [&x](Instant t) { return x(to_seconds(t - kStart)); };
    const auto bars = bars_of(batch, plan);
    std::set<ModelId> shown;
    for (const Bar& bar : bars) shown.insert(bar.model);
    const std::size_t legend_rows = (shown.size() + 5) / 6;

    std::string out;
    const auto add = [&out](const std::string& line) { out += line + "\n"; };
    add(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="system-ui, sans-serif" font-size="11">)",
        kLeft + kWidth + 20, bottom + 34 + 16 * static_cast<double>(legend_rows)));
    add(R"svg(<defs><pattern id="switch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="5" height="5" fill="#ddd"/><rect width="2" height="5" fill="#888"/></pattern></defs>)svg");
    add(R"(<rect width="100%" height="100%" fill="white"/>)");
    add(fmt::format(
        R"(<text x="{}" y="18" font-size="14" font-weight="600">Makespan {} · bound {} · gap {:.2f} %</text>)", kLeft,
        escaped(describe(plan.makespan() - plan.makespan() % 1ms)),
        escaped(describe(plan.lower_bound - plan.lower_bound % 1ms)), 100 * plan.gap()));
    for (double s = 0; s <= seconds; s += mark_distance(seconds)) {
        add(fmt::format(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2:.1f}" stroke="#e4e4e4"/>)", x(s), kTop - 4,
                        bottom));
        add(fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#555">{:g} s</text>)", x(s), kTop - 8,
                        s));
    }
    for (std::size_t gpu = 0; gpu < batch.gpus.size(); ++gpu)
        if (lane >= 10 || gpu % 8 == 0)
            add(fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end" fill="#333">gpu{}</text>)", kLeft - 8,
                            kTop + lane * (static_cast<double>(gpu) + 0.5) + 4, gpu));
    for (const Bar& bar : bars)
        add(fmt::format(
            R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"><title>{}</title></rect>)",
            at(bar.start), kTop + lane * bar.gpu + 1, std::max(at(bar.end) - at(bar.start), 0.3), lane * bar.count - 2,
            bar.is_switch ? "url(#switch)" : color_of_model(bar.model.value()), escaped(bar.title)));
    std::size_t place = 0;
    for (const ModelId model : shown) {
        const std::size_t row = place / 6;
        const double lx = kLeft + static_cast<double>(place % 6) * 180;
        const double ly = bottom + 14 + static_cast<double>(row) * 16;
        add(fmt::format(
            R"(<rect x="{}" y="{}" width="10" height="10" fill="{}"/><text x="{}" y="{}" fill="#333">{}</text>)", lx,
            ly, color_of_model(model.value()), lx + 15, ly + 9, escaped(batch.models[model.value()].name)));
        ++place;
    }
    add("</svg>");
    return out;
}

}  // namespace sy::output
