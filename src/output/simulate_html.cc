// Lines of ten orders over one another cannot be told apart where they are noisy, as busy GPUs and waiting jobs are:
// there each order has a strip of its own, all to one scale. Completion times are smooth and share a plot.
#include "output/simulate_html.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "output/axis.h"
#include "output/completion_plot.h"
#include "output/figures.h"
#include "output/html_theme.h"
#include "output/plot.h"
#include "output/simulate_page.h"
#include "output/simulate_tables.h"

namespace sy::output {

namespace {

using measure::Study;

/// More points than this nobody sees in a strip.
constexpr std::size_t kMostSteps = 320;
/// So few have room for higher strips.
constexpr std::size_t kFewOrders = 3;

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

std::string legend_html(std::span<const Study> studies) {
    std::string html = "<div class=\"legend\" aria-label=\"Orders; press one to see it alone\">";
    for (std::size_t i = 0; i < studies.size(); ++i)
        html += fmt::format("<button type=\"button\" aria-pressed=\"false\">{}{}</button>", swatch_html(i),
                            escaped(studies[i].order));
    return html + "</div>\n";
}

std::string completion_html(std::span<const Study> studies) {
    const auto plot = completion_plot(studies);
    return plot ? plot_html(*plot) + legend_html(studies) : "";
}

/// One of a course's rows of values, thinned out.
struct Strip {
    std::vector<double> values;
    double step_s = 0;
};

Strip thinned(const std::vector<double>& values, double step_s) {
    const std::size_t every = (values.size() + kMostSteps - 1) / kMostSteps;
    Strip strip{{}, step_s * static_cast<double>(every)};
    for (std::size_t i = 0; i < values.size(); i += every) {
        const std::size_t end = std::min(i + every, values.size());
        double sum = 0;
        for (std::size_t k = i; k < end; ++k) sum += values[k];
        strip.values.push_back(sum / static_cast<double>(end - i));
    }
    return strip;
}

/// Level within each step; the last ends where the order was through.
Line line_of(const Strip& strip, std::size_t series, const std::string& name, double end_s, double all_s, double most) {
    Line line{series, name, {}};
    for (std::size_t i = 0; i < strip.values.size(); ++i) {
        const double from = static_cast<double>(i) * strip.step_s;
        const double until = std::min(from + strip.step_s, std::max(end_s, from));
        line.points.push_back({from / all_s, strip.values[i] / most});
        line.points.push_back({until / all_s, strip.values[i] / most});
    }
    return line;
}

double end_of(const Study& study) {
    const double walked = to_seconds(study.course.step()) * static_cast<double>(study.course.busy().size());
    return study.indicators.makespan_s > 0 ? std::min(walked, study.indicators.makespan_s) : walked;
}

/// A strip for each order, all to one scale.
struct Strips {
    const char* says;
    const std::vector<double>& (measure::Course::*values)() const;
    double scale;  ///< A value times this is what is shown.
    double most;   ///< Of what is shown.
    std::vector<Mark> up;
    const char* unit;
    std::string (*note)(const Study&);
};

std::string strips_html(const Strips& strips, std::span<const Study> studies) {
    double all_s = 0;
    for (const Study& study : studies) all_s = std::max(all_s, end_of(study));
    std::string html;
    for (std::size_t i = 0; i < studies.size(); ++i) {
        const Study& study = studies[i];
        const Strip strip = thinned((study.course.*strips.values)(), to_seconds(study.course.step()));
        html +=
            fmt::format("<div class=\"panel\"><h3>{}<small>{}</small></h3>", escaped(study.order), strips.note(study));
        Plot plot{fmt::format("{} under {}", strips.says, study.order),
                  time_marks(all_s),
                  strips.up,
                  {},
                  i + 1 < studies.size() ? Shape::strip : Shape::lowest_strip,
                  ""};
        plot.reading =
            fmt::format("data-to=\"{:.9g}\" data-most=\"{:.9g}\" data-unit=\"{}\"", all_s, strips.most, strips.unit);
        plot.lines.push_back(line_of(strip, i, study.order, end_of(study), all_s, strips.most / strips.scale));
        html += plot_html(plot) + "</div>\n";
    }
    return html;
}

double most_waiting(const Study& study) {
    const std::vector<double>& waiting = study.course.waiting();
    return waiting.empty() ? 0 : *std::max_element(waiting.begin(), waiting.end());
}

std::string busy_html(const Scene& scene, std::span<const Study> studies) {
    double most = static_cast<double>(scene.gpus);
    for (const Study& study : studies)
        for (const double busy : study.course.busy()) most = std::max(most, busy);
    return strips_html({"GPUs busy over time",
                        &measure::Course::busy,
                        most > 0 ? 100 / most : 1,
                        100,
                        {{0, "0"}, {0.5, "50 %"}, {1, "100 %"}},
                        "%",
                        [](const Study& study) {
                            return fmt::format("{:.1f} % over {}", 100 * study.indicators.utilization,
                                               span_text(study.indicators.makespan_s));
                        }},
                       studies);
}

std::string waiting_html(std::span<const Study> studies) {
    double most = 0;
    for (const Study& study : studies) most = std::max(most, most_waiting(study));
    most = round_end(most);
    const auto label = [](double number) {
        return number < 10 ? fmt::format("{:g}", number) : in_threes(static_cast<std::uint64_t>(std::llround(number)));
    };
    return strips_html({"Jobs waiting over time",
                        &measure::Course::waiting,
                        1,
                        most,
                        {{0, "0"}, {0.5, label(most / 2)}, {1, label(most)}},
                        "",
                        [](const Study& study) {
                            const double peak = most_waiting(study);
                            return peak < 10 ? fmt::format("up to {:.1f}", peak)
                                             : "up to " + in_threes(static_cast<std::uint64_t>(std::llround(peak)));
                        }},
                       studies);
}

std::string section_html(const char* head, const std::string& says, const std::string& body) {
    if (body.empty()) return "";
    return fmt::format("<section><h2>{}</h2><p>{}</p>\n{}</section>\n", head, says, body);
}

std::string courses_html(const Scene& scene, std::span<const Study> studies) {
    if (std::all_of(studies.begin(), studies.end(), [](const Study& s) { return s.course.busy().empty(); })) return "";
    return fmt::format("<div class=\"pair{}\">", studies.size() <= kFewOrders ? " few" : "") +
           section_html("GPUs busy", "Of all GPUs, since the first submission.", busy_html(scene, studies)) +
           section_html("Jobs waiting", "Submitted and not running, over the same time.", waiting_html(studies)) +
           "</div>\n";
}

std::string body_html(const Scene& scene, std::span<const Study> studies) {
    if (studies.empty()) return "";
    std::string html = lead_html(studies);
    html +=
        section_html("Orders compared",
                     "A star marks the best of a column. Completion times run from submission to end; p50 and p99 are "
                     "the times within which half and 99 % of the jobs were done.",
                     comparison_html(studies));
    html += "<div class=\"pair\">";
    html += section_html("Mean completion time", "Shorter is better.", bars_html(studies));
    html += section_html("Completion times",
                         "Part of the jobs that are done within a time; farther left is better. The time axis is "
                         "logarithmic.",
                         completion_html(studies));
    html += "</div>\n" + courses_html(scene, studies);
    html += section_html("Users",
                         "Mean completion time of the users with the most GPU-time. The stronger the tint, the longer "
                         "compared with the order that is best for that user.",
                         users_html(studies));
    return html;
}

}  // namespace

std::string simulate_html(const Scene& scene, std::span<const Study> studies) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} on {} · Switchyard</title>\n<style>\n{}{}{}</style></head><body>\n{}{}"
        "<footer>Simulated by Switchyard.</footer>\n<div id=\"tip\" role=\"status\"></div>\n"
        "<script>{}</script></body></html>\n",
        escaped(scene.trace), escaped(scene.cluster), kTheme, kSeriesStyle, kReportStyle, heading_html(scene, studies),
        body_html(scene, studies), kReportScript);
}

}  // namespace sy::output
