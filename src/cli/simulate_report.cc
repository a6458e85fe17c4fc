#include "cli/simulate_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/figures.h"
#include "output/study_json.h"

namespace sy::cli {

namespace {

using output::span_text;

double above_bound(const measure::Study& study) {
    const double bound = study.lower_bound_mean_jct_s;
    return bound > 0 ? study.indicators.mean_jct_s / bound - 1 : 0;
}

}  // namespace

std::string simulate_table(std::span<const measure::Study> studies) {
    std::size_t width = 12;
    for (const measure::Study& study : studies) width = std::max(width, study.order.size());
    std::string text =
        fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9} {:>8} {:>8}\n", "order", width, "mean wait",
                    "mean jct", "p50 jct", "p99 jct", "makespan", "util", "preempted", "fairness", "cpu");
    for (const measure::Study& study : studies) {
        const measure::Indicators& i = study.indicators;
        text += fmt::format("{:<{}} {:>9} {:>9} {:>9} {:>9} {:>9} {:>5.1f}% {:>9} {:>8.2f} {:>6.3f} s\n", study.order,
                            width, span_text(i.mean_wait_s), span_text(i.mean_jct_s), span_text(i.p50_jct_s),
                            span_text(i.p99_jct_s), span_text(i.makespan_s), 100 * i.utilization, i.preemptions,
                            i.fairness, study.cpu_s);
    }
    if (studies.empty()) return text;
    const auto best = std::min_element(studies.begin(), studies.end(), [](const auto& a, const auto& b) {
        return a.indicators.mean_jct_s < b.indicators.mean_jct_s;
    });
    text += fmt::format("\nno policy can bring the mean completion time (jct) below {}; {} is {:.0f} % above that\n",
                        span_text(best->lower_bound_mean_jct_s), best->order, 100 * above_bound(*best));
    for (const measure::Study& study : studies)
        if (study.indicators.broken_off > 0)
            text += fmt::format("{}: nodes that failed broke off jobs {} times; {} of GPU-time was run in vain\n",
                                study.order, study.indicators.broken_off, span_text(study.indicators.lost_gpu_s));
    if (best->indicators.with_deadline == 0) return text;
    for (const measure::Study& study : studies)
        text += fmt::format("{}: {} of {} jobs with a deadline ended late, by {} on average over all of them\n",
                            study.order, study.indicators.late, study.indicators.with_deadline,
                            span_text(study.indicators.mean_tardiness_s));
    return text;
}

std::string simulate_json(std::span<const measure::Study> studies) {
    nlohmann::ordered_json orders = nlohmann::ordered_json::array();
    for (const measure::Study& study : studies) orders.push_back(output::study_json(study));
    return nlohmann::ordered_json{{"orders", orders}}.dump(2) + "\n";
}

}  // namespace sy::cli
