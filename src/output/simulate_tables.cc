#include "output/simulate_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "output/figures.h"
#include "output/plot.h"

namespace sy::output {

namespace {

using measure::Indicators;
using measure::Study;
using measure::UserShare;

constexpr std::size_t kMostUsers = 12;
constexpr std::size_t kOrdersWithRoom = 8;  ///< Columns of more stand closer.

enum class Better { less, more, neither };

struct Column {
    const char* head;
    const char* says;
    Better better;
    double (*value)(const Study&);
    std::string (*text)(const Study&);
};

template <double Indicators::*Figure>
Column time_column(const char* head, const char* says) {
    return {head, says, Better::less, [](const Study& s) { return s.indicators.*Figure; },
            [](const Study& s) { return span_text(s.indicators.*Figure); }};
}

std::vector<Column> columns_of(std::span<const Study> studies) {
    std::vector<Column> columns{
        time_column<&Indicators::mean_wait_s>("mean wait", "From submission to the first start"),
        time_column<&Indicators::mean_jct_s>("mean completion", "From submission to the end"),
        {"above bound", "How far the mean completion time lies above what no policy can go below", Better::neither,
         [](const Study&) { return 0.0; }, above_bound_text},
        time_column<&Indicators::p50_jct_s>("p50", "Half of the jobs are done within this time"),
        time_column<&Indicators::p99_jct_s>("p99", "99 of 100 jobs are done within this time"),
        time_column<&Indicators::makespan_s>("makespan", "From the first submission to the last end"),
        {"utilisation", "GPU-time of the jobs over that of the cluster within the makespan", Better::more,
         [](const Study& s) { return s.indicators.utilization; },
         [](const Study& s) { return fmt::format("{:.1f} %", 100 * s.indicators.utilization); }},
        {"preemptions", "How often a running job was put aside", Better::neither, [](const Study&) { return 0.0; },
         [](const Study& s) { return in_threes(s.indicators.preemptions); }},
        {"fairness", "Jain's index over the users' mean slowdowns: 1 is even", Better::more,
         [](const Study& s) { return s.indicators.fairness; },
         [](const Study& s) { return fmt::format("{:.2f}", s.indicators.fairness); }}};
    if (std::any_of(studies.begin(), studies.end(), [](const Study& s) { return s.indicators.node_balance < 1; }))
        columns.push_back({"node balance", "Jain's index over the nodes' GPU-time a GPU: 1 is even", Better::more,
                           [](const Study& s) { return s.indicators.node_balance; },
                           [](const Study& s) { return fmt::format("{:.3f}", s.indicators.node_balance); }});
    if (std::any_of(studies.begin(), studies.end(), [](const Study& s) { return s.indicators.broken_off > 0; }))
        columns.push_back({"broken off", "How often a job's node failed, and the GPU-time that was run in vain",
                           Better::less, [](const Study& s) { return s.indicators.lost_gpu_s; },
                           [](const Study& s) {
                               return fmt::format("{}, {}", in_threes(s.indicators.broken_off),
                                                  span_text(s.indicators.lost_gpu_s));
                           }});
    if (std::any_of(studies.begin(), studies.end(), [](const Study& s) { return s.indicators.with_deadline > 0; }))
        columns.push_back({"late", "Jobs that ended after their deadline, of those that have one", Better::less,
                           [](const Study& s) { return static_cast<double>(s.indicators.late); },
                           [](const Study& s) {
                               return fmt::format("{} of {}", in_threes(s.indicators.late),
                                                  in_threes(s.indicators.with_deadline));
                           }});
    return columns;
}

/// What the best of a column reads; nothing where all read the same, for then none is better.
std::string best_text(const Column& column, std::span<const Study> studies) {
    if (column.better == Better::neither) return "";
    const auto [least, most] = std::minmax_element(studies.begin(), studies.end(), [&](const Study& a, const Study& b) {
        return column.value(a) < column.value(b);
    });
    const std::string low = column.text(*least);
    const std::string high = column.text(*most);
    if (low == high) return "";
    return column.better == Better::less ? low : high;
}

/// What each user got under one order.
std::map<std::string_view, const UserShare*> by_name(const Study& study) {
    std::map<std::string_view, const UserShare*> shares;
    for (const UserShare& share : study.users) shares.emplace(share.user, &share);
    return shares;
}

/// Twice as long as the least is a light shade, eight times and more the darkest.
double shade(double value, double least) {
    if (!(least > 0) || value <= least) return 0;
    return 0.45 * std::min(1.0, std::log2(value / least) / 3);
}

std::string user_row(const UserShare& share, double total_gpu_s, std::span<const UserShare* const> under) {
    double least = std::numeric_limits<double>::infinity();
    for (const UserShare* each : under)
        if (each != nullptr) least = std::min(least, each->mean_jct_s);
    std::string row = fmt::format("<tr><th scope=\"row\" title=\"{0}\">{0}</th><td>{1}</td><td>{2:.1f} %</td>",
                                  share.user.empty() ? "(no name)" : escaped(share.user), in_threes(share.jobs),
                                  total_gpu_s > 0 ? 100 * share.gpu_s / total_gpu_s : 0);
    for (const UserShare* each : under)
        row += each == nullptr ? std::string("<td>–</td>")
                               : fmt::format("<td style=\"background:rgb(var(--heat)/{:.2f})\">{}</td>",
                                             shade(each->mean_jct_s, least), span_text(each->mean_jct_s));
    return row + "</tr>\n";
}

}  // namespace

std::string above_bound_text(const Study& study) {
    if (!(study.lower_bound_mean_jct_s > 0)) return "–";
    return fmt::format("{:.0f} %", 100 * (study.indicators.mean_jct_s / study.lower_bound_mean_jct_s - 1));
}

std::string comparison_html(std::span<const Study> studies) {
    const std::vector<Column> columns = columns_of(studies);
    std::vector<std::string> best;
    std::string html = "<div class=\"wide\"><table><thead><tr><th scope=\"col\">order</th>";
    for (const Column& column : columns) {
        best.push_back(best_text(column, studies));
        html += fmt::format("<th scope=\"col\" title=\"{}\">{}</th>", column.says, column.head);
    }
    html += "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < studies.size(); ++i) {
        html += fmt::format("<tr><th scope=\"row\">{}{}</th>", swatch_html(i), escaped(studies[i].order));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::string text = columns[c].text(studies[i]);
            html += fmt::format("<td{}>{}</td>", text == best[c] ? " class=\"best\"" : "", text);
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string users_html(std::span<const Study> studies) {
    if (studies.empty() || studies.front().users.size() < 2) return "";
    std::string html = fmt::format(
        "<div class=\"wide\"><table{}><thead><tr><th scope=\"col\">user</th><th scope=\"col\">jobs</th>"
        "<th scope=\"col\">GPU-time</th>",
        studies.size() > kOrdersWithRoom ? " class=\"dense\"" : "");
    std::vector<std::map<std::string_view, const UserShare*>> shares;
    for (const Study& study : studies) {
        html += fmt::format("<th scope=\"col\">{}</th>", escaped(study.order));
        shares.push_back(by_name(study));
    }
    html += "</tr></thead><tbody>\n";
    double total_gpu_s = 0;
    for (const UserShare& share : studies.front().users) total_gpu_s += share.gpu_s;
    for (const UserShare& share :
         std::span(studies.front().users).first(std::min(kMostUsers, studies.front().users.size()))) {
        std::vector<const UserShare*> under;
        for (const auto& of_study : shares) {
            const auto found = of_study.find(share.user);
            under.push_back(found == of_study.end() ? nullptr : found->second);
        }
        html += user_row(share, total_gpu_s, under);
    }
    return html + "</tbody></table></div>\n";
}

}  // namespace sy::output
