// The page holds the plan as tables of names and one string of packed times, and draws it on a canvas. A million nodes
// take 10 to 15 MB.
#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "output/charts.h"
#include "output/colors.h"
#include "output/figures.h"
#include "output/html_page.h"
#include "output/html_theme.h"
#include "output/packed.h"
#include "output/report_script.h"

namespace sy::output {

namespace {

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

nlohmann::json tables_of(const Batch& batch, const Plan& plan, Duration tick, const std::vector<std::string>& lanes) {
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
    for (std::size_t gpu = 0; gpu < lanes.size(); ++gpu) tables["gpus"][gpu].push_back(lanes[gpu]);
    for (const Workflow& workflow : batch.workflows) {
        nlohmann::json steps = nlohmann::json::array();
        for (const Step& step : workflow.steps) steps.push_back({step.name, step.model.value(), step.needs});
        tables["workflows"].push_back(steps);
    }
    return tables;
}

std::string rounded(Duration d) {
    return describe(d - d % (d >= 10min ? Duration(1s) : Duration(1ms)));
}

std::string switches_of(const Batch& batch, const Plan& plan) {
    std::uint64_t switches = 0;
    for (const GpuUse& use : use_of_gpus(plan, batch.gpus.size())) switches += use.switches;
    return in_threes(switches);
}

using Figures = std::vector<std::pair<const char*, std::string>>;

Figures figures_of(const Batch& batch, const Plan& plan) {
    return {{"makespan", rounded(plan.makespan())},
            {"bound", rounded(plan.lower_bound)},
            {"gap", plan.proven_optimal ? "proven shortest" : fmt::format("{:.2f} %", 100 * plan.gap())},
            {"switches", switches_of(batch, plan)},
            {"nodes", in_threes(plan.jobs.size())},
            {"GPUs", in_threes(batch.gpus.size())},
            {"strategy", plan.strategy}};
}

/// `lanes`: what each GPU is called; empty: by its number.
std::string page(const Batch& batch, const Plan& plan, const Figures& figures, const std::vector<std::string>& lanes) {
    const Duration tick = tick_of(plan);
    std::string list;
    for (const auto& [what, figure] : figures) list += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, figure);
    const char* rows = lanes.empty() ? "One lane for each GPU" : "For each GPU the plan, and below it what happened";
    const std::string says = fmt::format("const plan = {};\nplan.times = \"{}\";",
                                         safe_in_script(tables_of(batch, plan, tick, lanes).dump()),
                                         packed_times(plan, batch.gpus.size(), tick));
    return fmt::format("{}{}{}{}</dl>\n<p>{}{}{}{}", kPageHead, kTheme, kPageStyle, list, rows, kPageBody,
                       report_scripts(says), kPageEnd);
}

/// Each GPU twice, what was planned above what happened; where gangs need neighbours, all of the one above all of the
/// other.
struct Doubled {
    Batch batch;
    Plan both;
    std::vector<std::string> lanes;
};

Doubled doubled(const Batch& batch, const Plan& planned, const Plan& actual) {
    const auto gpus = static_cast<std::uint32_t>(batch.gpus.size());
    const bool has_gangs =
        std::any_of(batch.models.begin(), batch.models.end(), [](const ModelSpec& m) { return m.gpus > 1; });
    const auto lane = [&](std::uint32_t gpu, bool happened) {
        return has_gangs ? gpu + (happened ? gpus : 0) : 2 * gpu + (happened ? 1 : 0);
    };
    Doubled result{batch, {}, std::vector<std::string>(2 * std::size_t{gpus})};
    result.batch.requests.insert(result.batch.requests.end(), batch.requests.begin(), batch.requests.end());
    result.batch.gpus.resize(2 * std::size_t{gpus});
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
        for (const bool happened : {false, true}) {
            BatchGpu& row = result.batch.gpus[lane(gpu, happened)] = batch.gpus[gpu];
            row.node = NodeId(has_gangs ? (happened ? 1 : 0) : gpu);
            result.lanes[lane(gpu, happened)] =
                fmt::format("{}{}", happened ? "" : "plan ", happened ? fmt::format("gpu{}", gpu) : "");
        }
    result.batch.nodes.assign(has_gangs ? 2 : gpus, "");
    for (std::size_t i = 0; i < result.batch.nodes.size(); ++i)
        result.batch.nodes[i] = has_gangs ? (i == 0 ? "the plan" : "what happened") : fmt::format("gpu{}", i);
    JobIndex jobs = 0;
    for (const Request& request : batch.requests)
        jobs += static_cast<JobIndex>(batch.workflows[request.workflow].steps.size());
    for (const bool happened : {false, true})
        for (PlannedJob job : (happened ? actual : planned).jobs) {
            job.job += happened ? jobs : 0;
            job.gpus.first = GpuId(lane(job.gpus.first.value(), happened));
            result.both.jobs.push_back(job);
        }
    std::stable_sort(result.both.jobs.begin(), result.both.jobs.end(),
                     [](const PlannedJob& a, const PlannedJob& b) { return a.start < b.start; });
    return result;
}

}  // namespace

std::string plan_html(const Batch& batch, const Plan& plan) {
    return page(batch, plan, figures_of(batch, plan), {});
}

std::string run_html(const Batch& batch, const Plan& planned, const Plan& actual) {
    const Doubled both = doubled(batch, planned, actual);
    const double over = planned.makespan() > Duration::zero()
                            ? 100 * (to_seconds(actual.makespan()) / to_seconds(planned.makespan()) - 1)
                            : 0;
    return page(both.batch, both.both,
                {{"planned", rounded(planned.makespan())},
                 {"actual", rounded(actual.makespan())},
                 {"against the plan", fmt::format("{:+.1f} %", over)},
                 {"switches planned", switches_of(batch, planned)},
                 {"switches made", switches_of(batch, actual)},
                 {"nodes", in_threes(actual.jobs.size())},
                 {"GPUs", in_threes(batch.gpus.size())}},
                both.lanes);
}

}  // namespace sy::output
