#include "cli/plan_summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "output/plan_file.h"

namespace sy::cli {

namespace {

constexpr std::size_t kBarWidth = 48;
constexpr std::size_t kMostBars = 32;

/// '#' runs, '~' switches, '.' idles, in proportion.
std::string bar(const GpuUse& use, Duration whole) {
    const auto cells = [whole](Duration part) {
        const double share = whole > Duration::zero() ? to_seconds(part) / to_seconds(whole) : 0;
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(kBarWidth)));
    };
    const std::size_t busy = std::min(cells(use.busy), kBarWidth);
    const std::size_t switching = std::min(cells(use.busy + use.switching), kBarWidth) - busy;
    return std::string(busy, '#') + std::string(switching, '~') + std::string(kBarWidth - busy - switching, '.');
}

std::string count(std::uint64_t number, const char* thing) {
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// A line for each GPU, or for each so many neighbours where there are too many for a screen.
std::string lanes(const std::vector<GpuUse>& use, Duration whole) {
    const std::size_t together = (use.size() + kMostBars - 1) / kMostBars;
    const auto name = [&use, together](std::size_t first) {
        const std::size_t last = std::min(first + together, use.size()) - 1;
        return first == last ? fmt::format("gpu{}", first) : fmt::format("gpu{}-{}", first, last);
    };
    std::size_t widest = 0;
    for (std::size_t first = 0; first < use.size(); first += together) widest = std::max(widest, name(first).size());
    std::string out;
    for (std::size_t first = 0; first < use.size(); first += together) {
        GpuUse group;
        const std::size_t end = std::min(first + together, use.size());
        for (std::size_t i = first; i < end; ++i) {
            group.busy += use[i].busy;
            group.switching += use[i].switching;
            group.switches += use[i].switches;
        }
        const Duration time = whole * static_cast<std::int64_t>(end - first);
        fmt::format_to(std::back_inserter(out), "  {:<{}} {} {:>5.1f} %  {}\n", name(first), widest, bar(group, time),
                       100 * to_seconds(group.busy) / to_seconds(time),
                       group.switches == 1 ? "1 switch" : fmt::format("{} switches", group.switches));
    }
    return out;
}

std::string rounded(Duration d) {
    const Duration step = d >= 10min ? Duration(1s) : Duration(1ms);
    return describe(d - d % step);
}

}  // namespace

std::string plan_summary(const Batch& batch, const Plan& plan) {
    const Duration whole = plan.makespan();
    const auto use = use_of_gpus(plan, batch.gpus.size());
    GpuUse total;
    for (const GpuUse& of : use) {
        total.busy += of.busy;
        total.switching += of.switching;
        total.switches += of.switches;
    }
    const double all = to_seconds(whole) * static_cast<double>(use.size());
    const auto percent = [all](Duration part) { return all > 0 ? 100 * to_seconds(part) / all : 0; };

    std::string out;
    const auto line = [&out](const char* what, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "  {:<10} {}\n", what, text);
    };
    fmt::format_to(std::back_inserter(out), "plan: {}, {}, {}, strategy {}, seed {}\n",
                   count(batch.requests.size(), "request"), count(plan.jobs.size(), "node"),
                   count(batch.gpus.size(), "GPU"), plan.strategy, plan.seed);
    line("makespan", rounded(whole));
    line("bound", fmt::format("{}, so {}", rounded(plan.lower_bound),
                              plan.proven_optimal ? "no plan is shorter: this one is optimal"
                                                  : fmt::format("no plan is more than {:.2f} % shorter",
                                                                100 * (1 - 1 / (1 + plan.gap())))));
    line("gap", fmt::format("{:.2f} %", 100 * plan.gap()));
    line("switches", fmt::format("{}, {} in all", count(total.switches, "GPU load"), rounded(total.switching)));
    line("GPUs", fmt::format("{:.1f} % busy, {:.1f} % switching, imbalance {:.1f} %", percent(total.busy),
                             percent(total.switching), 100 * output::imbalance(batch, plan)));
    line("planned in", fmt::format("{:.3f} s", to_seconds(plan.planning)));
    if (whole == Duration::zero()) return out;
    out += "\n  # runs  ~ switches  . idles\n";
    out += lanes(use, whole);
    return out;
}

}  // namespace sy::cli
