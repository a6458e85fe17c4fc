// Written by hand into one buffer: a plan of a million jobs is 150 MB, and a tree of JSON values would be ten times
// that.
#include "output/plan_file.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "output/csv_field.h"
#include "output/names.h"
#include "output/quoted.h"

namespace sy::output {

namespace {

std::string seconds(Instant t) {
    return seconds_text(t - kStart);
}

double share(Duration part, Duration whole) {
    return whole > Duration::zero() ? to_seconds(part) / to_seconds(whole) : 0;
}

std::string joined(const GpuSpan& gpus, const char* separator) {
    std::string text;
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
        fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : separator, gpu.value());
    return text;
}

void add_gpus(std::string& out, const Batch& batch, const Plan& plan) {
    const Duration whole = plan.makespan();
    const auto use = use_of_gpus(plan, batch.gpus.size());
    for (std::size_t i = 0; i < use.size(); ++i)
        fmt::format_to(std::back_inserter(out),
                       "{}\n    {{\"id\": {}, \"busy_s\": {}, \"switch_s\": {}, \"idle_s\": {}, \"utilization\": {}, "
                       "\"switches\": {}}}",
                       i == 0 ? "" : ",", i, to_seconds(use[i].busy), to_seconds(use[i].switching),
                       to_seconds(whole - use[i].busy - use[i].switching), share(use[i].busy, whole), use[i].switches);
}

void add_tasks(std::string& out, const Names& names, const Plan& plan) {
    bool first = true;
    for (const PlannedJob& job : plan.jobs) {
        fmt::format_to(std::back_inserter(out),
                       "{}\n    {{\"request\": {}, \"node\": {}, \"model\": {}, \"gpus\": [{}], ", first ? "" : ",",
                       quoted(names.request(job.job)), quoted(names.step(job.job).name), quoted(names.model(job.job)),
                       joined(job.gpus, ", "));
        if (job.load) {
            fmt::format_to(std::back_inserter(out), "\"switch_start_s\": {}, \"switch_end_s\": {}, ",
                           seconds(job.load->start), seconds(job.load->end));
        } else {
            out += "\"switch_start_s\": null, \"switch_end_s\": null, ";
        }
        fmt::format_to(std::back_inserter(out), "\"start_s\": {}, \"end_s\": {}}}", seconds(job.start),
                       seconds(job.end));
        first = false;
    }
}

}  // namespace

double imbalance(const Batch& batch, const Plan& plan) {
    const auto use = use_of_gpus(plan, batch.gpus.size());
    if (use.empty()) return 0;
    const auto [least, most] =
        std::minmax_element(use.begin(), use.end(), [](const GpuUse& a, const GpuUse& b) { return a.busy < b.busy; });
    return share(most->busy - least->busy, plan.makespan());
}

std::string plan_json(const Batch& batch, const Plan& plan) {
    std::uint64_t switches = 0;
    Duration switching{};
    for (const GpuUse& use : use_of_gpus(plan, batch.gpus.size())) {
        switches += use.switches;
        switching += use.switching;
    }
    std::string out = fmt::format(
        "{{\n  \"strategy\": {}, \"seed\": {},\n  \"makespan_s\": {}, \"lower_bound_s\": {}, \"gap\": {}, "
        "\"proven_optimal\": {},\n"
        "  \"planning_s\": {}, \"switches\": {}, \"switch_s\": {}, \"imbalance\": {},\n  \"gpus\": [",
        quoted(plan.strategy), plan.seed, seconds_text(plan.makespan()), seconds_text(plan.lower_bound), plan.gap(),
        plan.proven_optimal, to_seconds(plan.planning), switches, to_seconds(switching), imbalance(batch, plan));
    add_gpus(out, batch, plan);
    out += "\n  ],\n  \"tasks\": [";
    add_tasks(out, Names(batch), plan);
    out += "\n  ]\n}\n";
    return out;
}

std::string plan_csv(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    std::string out = "request,node,model,gpus,switch_start_s,switch_end_s,start_s,end_s\n";
    for (const PlannedJob& job : plan.jobs) {
        const std::string load =
            job.load ? fmt::format("{},{}", seconds(job.load->start), seconds(job.load->end)) : ",";
        fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", csv_field(names.request(job.job)),
                       csv_field(names.step(job.job).name), csv_field(names.model(job.job)), joined(job.gpus, " "),
                       load, seconds(job.start), seconds(job.end));
    }
    return out;
}

}  // namespace sy::output
