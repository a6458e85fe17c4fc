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
    fmt::format_to(std::back_inserter(out), "plan: {} requests, {} nodes, {} GPUs, strategy {}, seed {}\n",
                   batch.requests.size(), plan.jobs.size(), batch.gpus.size(), plan.strategy, plan.seed);
    line("makespan", rounded(whole));
    line("bound", fmt::format("{}, so no plan is more than {:.2f} % shorter{}", rounded(plan.lower_bound),
                              100 * (1 - 1 / (1 + plan.gap())), plan.proven_optimal ? ": this one is optimal" : ""));
    line("gap", fmt::format("{:.2f} %", 100 * plan.gap()));
    line("switches", fmt::format("{} GPU loads, {} in all", total.switches, rounded(total.switching)));
    line("GPUs", fmt::format("{:.1f} % busy, {:.1f} % switching, imbalance {:.1f} %", percent(total.busy),
                             percent(total.switching), 100 * output::imbalance(batch, plan)));
    line("planned in", fmt::format("{:.3f} s", to_seconds(plan.planning)));
    if (whole == Duration::zero()) return out;
    out += "\n  # runs  ~ switches  . idles\n";
    for (std::size_t i = 0; i < std::min(use.size(), kMostBars); ++i)
        fmt::format_to(std::back_inserter(out), "  gpu{:<4} {} {:>5.1f} %  {} switches\n", i, bar(use[i], whole),
                       100 * to_seconds(use[i].busy) / to_seconds(whole), use[i].switches);
    if (use.size() > kMostBars) fmt::format_to(std::back_inserter(out), "  … and {} more\n", use.size() - kMostBars);
    return out;
}

}  // namespace sy::cli
