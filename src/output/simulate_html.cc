// Tables and bars are HTML and need no script. Plots and the chart of GPUs are drawn by the script of the service's
// page (page/src/whatif) from the same JSON that the service answers with.
#include "output/simulate_html.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/figures.h"
#include "output/html_theme.h"
#include "output/plot.h"
#include "output/report_script.h"
#include "output/simulate_page.h"
#include "output/simulate_tables.h"
#include "output/study_json.h"

namespace sy::output {

namespace {

using measure::Study;

const Study& best_of(std::span<const Study> studies) {
    return *std::min_element(studies.begin(), studies.end(), [](const Study& a, const Study& b) {
        return a.indicators.mean_jct_s < b.indicators.mean_jct_s;
    });
}

std::string heading_html(const Scene& scene, std::span<const Study> studies) {
    std::string html = fmt::format("<h1>{} on {}</h1>\n<dl>\n", escaped(scene.trace), escaped(scene.cluster));
    const auto add = [&html](const char* what, const std::string& figure) {
        html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, figure);
    };
    add("GPUs", in_threes(scene.gpus));
    if (!studies.empty()) add("jobs", in_threes(studies.front().indicators.jobs));
    add("fit", escaped(scene.fit));
    add("placement", escaped(scene.place));
    if (studies.empty()) return html + "</dl>\n<p class=\"lead\">No order was tried.</p>\n";
    const double bound = studies.front().lower_bound_mean_jct_s;
    if (bound > 0) add("lower bound", span_text(bound));
    return html + "</dl>\n";
}

/// The page in a sentence or two.
std::string lead_html(std::span<const Study> studies) {
    const Study& best = best_of(studies);
    const double least = best.indicators.mean_jct_s;
    std::string text = fmt::format("<b>{}</b> completes jobs in {} on average", escaped(best.order), span_text(least));
    if (best.lower_bound_mean_jct_s > 0)
        text += fmt::format(", {} above the bound that no policy can go below", above_bound_text(best));
    const Study& worst = *std::max_element(studies.begin(), studies.end(), [](const Study& a, const Study& b) {
        return a.indicators.mean_jct_s < b.indicators.mean_jct_s;
    });
    if (least > 0 && worst.indicators.mean_jct_s > 1.01 * least)
        text += fmt::format("; <b>{}</b> takes {:.{}f} times as long", escaped(worst.order),
                            worst.indicators.mean_jct_s / least, worst.indicators.mean_jct_s < 1.1 * least ? 2 : 1);
    return fmt::format("<p class=\"lead\">{}.</p>\n", text);
}

std::string bars_html(std::span<const Study> studies) {
    double most = 0;
    for (const Study& study : studies) most = std::max(most, study.indicators.mean_jct_s);
    const auto percent = [most](double value) { return most > 0 ? 100 * value / most : 0; };
    const double bound = studies.front().lower_bound_mean_jct_s;
    const std::string line =
        bound > 0 ? fmt::format("<i class=\"bound\" style=\"left:{:.2f}%\"></i>", percent(bound)) : "";
    std::string html = "<div class=\"bars\">\n";
    for (std::size_t i = 0; i < studies.size(); ++i)
        html += fmt::format(
            "<b>{}</b><div class=\"track\"><div class=\"bar {}\" style=\"width:{:.2f}%\"></div>{}"
            "<span style=\"left:{:.2f}%\">{}</span></div>\n",
            escaped(studies[i].order), series_class(i), percent(studies[i].indicators.mean_jct_s), line,
            percent(studies[i].indicators.mean_jct_s), span_text(studies[i].indicators.mean_jct_s));
    if (bound > 0)
        html +=
            fmt::format("<b></b><div class=\"track\"><em{} style=\"left:{:.2f}%\">lower bound {}</em>&nbsp;</div>\n",
                        percent(bound) > 50 ? " class=\"back\"" : "", percent(bound), span_text(bound));
    return html + "</div>\n";
}

std::string section_html(const char* head, const std::string& says, const std::string& body) {
    if (body.empty()) return "";
    return fmt::format("<section><h2>{}</h2><p>{}</p>\n{}</section>\n", head, says, body);
}

bool has_course(std::span<const Study> studies) {
    return std::any_of(studies.begin(), studies.end(), [](const Study& s) { return !s.course.busy().empty(); });
}

bool has_spells(const Scene& scene, std::span<const Study> studies) {
    return !scene.lanes.empty() &&
           std::any_of(studies.begin(), studies.end(), [](const Study& s) { return !s.spells.empty(); });
}

std::string plots_html(std::span<const Study> studies) {
    if (!has_course(studies)) return "";
    return section_html("Completion times",
                        "Part of the jobs that are done within a time; farther left is better. The time axis is "
                        "logarithmic. Press an order to see it alone.",
                        "<div id=\"orders\"></div><div id=\"completions\" class=\"plots\"></div>\n") +
           "<div class=\"pair\">" +
           section_html("GPUs busy", "Of all GPUs, since the first submission.",
                        "<div id=\"busy\" class=\"plots\"></div>") +
           section_html("Jobs waiting", "Submitted and not running, over the same time.",
                        "<div id=\"waiting\" class=\"plots\"></div>") +
           "</div>\n";
}

std::string chart_html(const Scene& scene, std::span<const Study> studies) {
    return has_course(studies) && has_spells(scene, studies) ? kChart : "";
}

std::string body_html(const Scene& scene, std::span<const Study> studies) {
    if (studies.empty()) return "";
    std::string html = lead_html(studies);
    html +=
        section_html("Orders compared",
                     "A star marks the best of a column. Completion times run from submission to end; p50 and p99 are "
                     "the times within which half and 99 % of the jobs were done.",
                     comparison_html(studies));
    html += section_html("Mean completion time", "Shorter is better.", bars_html(studies));
    html += plots_html(studies) + chart_html(scene, studies);
    html += section_html("Users",
                         "Mean completion time of the users with the most GPU-time. The stronger the tint, the longer "
                         "compared with the order that is best for that user.",
                         users_html(studies));
    return html;
}

/// What the script draws from.
std::string data_of(const Scene& scene, const Trace& trace, std::span<const Study> studies) {
    nlohmann::ordered_json orders = nlohmann::ordered_json::array();
    for (const Study& study : studies) {
        orders.push_back(study_json(study));
        orders.back().update(chart_json(study));
    }
    const nlohmann::ordered_json json{{"orders", orders},
                                      {"jobs", jobs_json(trace, studies)},
                                      {"cluster", {{"gpus", scene.gpus}, {"lanes", scene.lanes}}}};
    return "const simulated = " +
           safe_in_script(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + ";";
}

std::string scripts_html(const Scene& scene, const Trace& trace, std::span<const Study> studies) {
    if (!has_course(studies)) return "";
    return fmt::format("<script>{}</script>\n{}", uplot_script(), report_scripts(data_of(scene, trace, studies)));
}

}  // namespace

std::string simulate_html(const Scene& scene, const Trace& trace, std::span<const Study> studies) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} on {} · Switchyard</title>\n<style>\n{}{}{}</style></head><body>\n{}{}"
        "<footer>Simulated by Switchyard.</footer>\n<div id=\"tip\" role=\"status\"></div>\n{}</body></html>\n",
        escaped(scene.trace), escaped(scene.cluster), kTheme, kSeriesStyle, kReportStyle, heading_html(scene, studies),
        body_html(scene, studies), scripts_html(scene, trace, studies));
}

}  // namespace sy::output
