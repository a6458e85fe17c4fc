// The page holds the plan as tables of names and one string of packed times, and draws it on a canvas. A million nodes
// take 10 to 15 MB.
#include <charconv>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "output/charts.h"
#include "output/colors.h"
#include "output/figures.h"
#include "output/html_page.h"
#include "output/html_script.h"
#include "output/html_theme.h"
#include "output/packed.h"

namespace sy::output {

namespace {

/// No name may end the script, nor open a comment in it.
std::string safe(const nlohmann::json& value) {
    std::string text;
    for (const char c : value.dump()) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

/// "rag-17" is the seventeenth of "rag-". A number with a leading zero is part of the name.
struct NumberedId {
    std::string_view name;
    std::uint64_t number = 0;
    bool numbered = false;
};

NumberedId numbered(std::string_view id) {
    std::size_t digits = 0;
    while (digits < id.size() && digits < 18 && id[id.size() - 1 - digits] >= '0' && id[id.size() - 1 - digits] <= '9')
        ++digits;
    const std::string_view tail = id.substr(id.size() - digits);
    if (tail.empty() || (tail.size() > 1 && tail.front() == '0')) return {id, 0, false};
    NumberedId split{id.substr(0, id.size() - digits), 0, true};
    std::from_chars(tail.data(), tail.data() + tail.size(), split.number);
    return split;
}

/// Rows of [workflow, how many, name, number of the first, or null where the name is all]: a count of a million
/// requests is one row.
nlohmann::json requests_of(const Batch& batch) {
    nlohmann::json rows = nlohmann::json::array();
    NumberedId last;
    std::uint32_t workflow = 0;
    for (const Request& request : batch.requests) {
        const NumberedId id = numbered(request.id);
        const bool follows = !rows.empty() && id.numbered && last.numbered && id.name == last.name &&
                             id.number == last.number + 1 && request.workflow == workflow;
        if (follows)
            rows.back()[1] = rows.back()[1].get<std::uint64_t>() + 1;
        else
            rows.push_back({request.workflow, 1, id.name, id.numbered ? nlohmann::json(id.number) : nlohmann::json()});
        last = id;
        workflow = request.workflow;
    }
    return rows;
}

nlohmann::json tables_of(const Batch& batch, const Plan& plan, Duration tick) {
    nlohmann::json tables{{"makespan", to_seconds(plan.makespan())},
                          {"tick", to_seconds(tick)},
                          {"nodes", batch.nodes},
                          {"requests", requests_of(batch)},
                          {"models", nlohmann::json::array()},
                          {"gpus", nlohmann::json::array()},
                          {"workflows", nlohmann::json::array()}};
    for (std::size_t m = 0; m < batch.models.size(); ++m) {
        const Color color = color_of_model(m);
        tables["models"].push_back(
            {{"name", batch.models[m].name}, {"gpus", batch.models[m].gpus}, {"fill", color.fill}, {"ink", color.ink}});
    }
    for (const BatchGpu& gpu : batch.gpus)
        tables["gpus"].push_back({batch.kinds[gpu.kind.value()], gpu.node.value(),
                                  gpu.holds ? nlohmann::json(gpu.holds->value()) : nlohmann::json()});
    for (const Workflow& workflow : batch.workflows) {
        nlohmann::json steps = nlohmann::json::array();
        for (const Step& step : workflow.steps) steps.push_back({step.name, step.model.value(), step.needs});
        tables["workflows"].push_back(steps);
    }
    return tables;
}

std::string figures_of(const Batch& batch, const Plan& plan) {
    const auto rounded = [](Duration d) { return describe(d - d % (d >= 10min ? Duration(1s) : Duration(1ms))); };
    std::uint64_t switches = 0;
    for (const GpuUse& use : use_of_gpus(plan, batch.gpus.size())) switches += use.switches;
    std::string out;
    const auto add = [&out](const char* what, const std::string& figure) {
        out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, figure);
    };
    add("makespan", rounded(plan.makespan()));
    add("bound", rounded(plan.lower_bound));
    add("gap", plan.proven_optimal ? "proven shortest" : fmt::format("{:.2f} %", 100 * plan.gap()));
    add("switches", in_threes(switches));
    add("nodes", in_threes(plan.jobs.size()));
    add("GPUs", in_threes(batch.gpus.size()));
    add("strategy", plan.strategy);
    return out;
}

}  // namespace

std::string plan_html(const Batch& batch, const Plan& plan) {
    const Duration tick = tick_of(plan);
    return fmt::format("{}{}{}{}{}const plan = {};\nplan.times = \"{}\";\n{}{}{}", kPageHead, kTheme, kPageStyle,
                       figures_of(batch, plan), kPageBody, safe(tables_of(batch, plan, tick)),
                       packed_times(plan, batch.gpus.size(), tick), kScriptData, kScriptChart, kPageEnd);
}

}  // namespace sy::output
