// The page holds the plan as one table of numbers and draws it on a canvas: a bar is a row, names are looked up.
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "output/charts.h"
#include "output/colors.h"
#include "output/html_page.h"
#include "output/names.h"

namespace sy::output {

namespace {

/// "</script>" inside a name must not end the script.
std::string safe(const nlohmann::json& value) {
    std::string text;
    for (const char c : value.dump()) {
        if (c == '/' && text.ends_with('<')) text += '\\';
        text += c;
    }
    return text;
}

std::string rows_of(const Names& names, const Plan& plan) {
    const auto s = [](Instant t) { return to_seconds(t - kStart); };
    std::string rows;
    for (const PlannedJob& job : plan.jobs)
        fmt::format_to(std::back_inserter(rows), "{}[{},{},{},{},{},{},{},{},{}]", rows.empty() ? "" : ",",
                       job.gpus.first.value(), job.gpus.count, names.model_id(job.job).value(), s(job.start),
                       s(job.end), job.load ? fmt::format("{}", s(job.load->start)) : "null",
                       job.load ? fmt::format("{}", s(job.load->end)) : "null", names.request_number(job.job),
                       names.step_number(job.job));
    return rows;
}

nlohmann::json tables_of(const Batch& batch, const Plan& plan) {
    nlohmann::json tables;
    for (std::size_t m = 0; m < batch.models.size(); ++m)
        tables["models"].push_back({{"name", batch.models[m].name}, {"color", color_of_model(m)}});
    for (const BatchGpu& gpu : batch.gpus) tables["gpus"].push_back(batch.kinds[gpu.kind.value()]);
    for (const Request& request : batch.requests) tables["requests"].push_back({request.id, request.workflow});
    for (const Workflow& workflow : batch.workflows) {
        nlohmann::json steps = nlohmann::json::array();
        for (const Step& step : workflow.steps) {
            nlohmann::json needs = nlohmann::json::array();
            for (const std::uint32_t need : step.needs) needs.push_back(need);
            steps.push_back({step.name, needs});
        }
        tables["workflows"].push_back(steps);
    }
    tables["makespan"] = to_seconds(plan.makespan());
    return tables;
}

}  // namespace

std::string plan_html(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    const auto rounded = [](Duration d) { return describe(d - d % 1ms); };
    const std::string title =
        fmt::format("Makespan {} · bound {} · gap {:.2f} % · {} nodes on {} GPUs", rounded(plan.makespan()),
                    rounded(plan.lower_bound), 100 * plan.gap(), plan.jobs.size(), batch.gpus.size());
    return fmt::format("{}<h1>{}</h1>{}const plan = {};\nplan.rows = [{}];\n{}", kPageHead, title, kPageBody,
                       safe(tables_of(batch, plan)), rows_of(names, plan), kPageScript);
}

}  // namespace sy::output
