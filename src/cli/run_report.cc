#include "cli/run_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSlowest = 5;

Instant instant_of(const Json& seconds) {
    return kStart + Duration(std::llround(seconds.get<double>() * 1e9));
}

PlannedJob job_of(JobIndex job, const Json& row) {
    PlannedJob planned{.job = job,
                       .gpus = {GpuId(row["gpu"].get<std::uint32_t>()), row["gpus"].get<GpuCount>()},
                       .start = instant_of(row["start_s"]),
                       .end = instant_of(row["end_s"])};
    const Duration load = instant_of(row["load_s"]) - kStart;
    const Duration waited = load - (instant_of(row.value("load_ahead_s", Json(0.0))) - kStart);
    if (load > Duration::zero())
        planned.load = SwitchTimes{planned.start - std::max(waited, Duration::zero()), planned.start};
    return planned;
}

/// An attempt begins with loading; times are told in milliseconds, so that neighbours may seem to overlap.
void tidy(std::vector<PlannedJob>& jobs, std::size_t gpus) {
    std::sort(jobs.begin(), jobs.end(), [](const PlannedJob& a, const PlannedJob& b) { return a.start < b.start; });
    std::vector<Instant> free(gpus, kStart);
    for (PlannedJob& job : jobs) {
        Instant& before = free[job.gpus.first.value()];
        const Duration load = job.load ? job.load->end - job.load->start : Duration::zero();
        const Instant begin = std::max(job.start, before);
        job.start = std::min(begin + load, std::max(begin, job.end));
        if (job.load) job.load = SwitchTimes{begin, job.start};
        job.end = std::max(job.end, job.start);
        before = job.end;
    }
}

/// A model that was loaded ahead belongs to the job that used it first.
void add_preloads(const Json& loads, std::vector<PlannedJob>& jobs) {
    for (const Json& load : loads) {
        if (load["load_s"] == 0.0) continue;  // it was there
        const Instant begin = instant_of(load["start_s"]);
        const Instant end = instant_of(load["end_s"]);
        const auto user = std::find_if(jobs.begin(), jobs.end(), [&](const PlannedJob& job) {
            return job.gpus.first == GpuId(load["gpu"].get<std::uint32_t>()) && job.start >= end;
        });
        if (user != jobs.end() && !user->load) user->load = SwitchTimes{begin, end};
    }
}

struct Slow {
    JobIndex job = 0;
    double seconds = 0;
};

std::vector<Slow> slowest(const RunCourse& course) {
    std::vector<Slow> all;
    for (const PlannedJob& job : course.actual.jobs) all.push_back({job.job, to_seconds(job.end - job.start)});
    const std::size_t count = std::min(kSlowest, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [](const Slow& a, const Slow& b) { return a.seconds > b.seconds; });
    all.resize(count);
    return all;
}

/// By job: its request and step.
std::pair<std::uint32_t, std::uint32_t> place_of(const Batch& batch, JobIndex job) {
    for (std::uint32_t r = 0; r < batch.requests.size(); ++r) {
        const auto steps = static_cast<JobIndex>(batch.workflows[batch.requests[r].workflow].steps.size());
        if (job < steps) return {r, job};
        job -= steps;
    }
    return {};
}

std::string name_of(const Batch& batch, JobIndex job) {
    const auto [request, step] = place_of(batch, job);
    const Request& of = batch.requests[request];
    return fmt::format("{} / {}", of.id, batch.workflows[of.workflow].steps[step].name);
}

std::uint64_t switches_of(const Plan& plan, std::size_t gpus) {
    std::uint64_t switches = 0;
    for (const GpuUse& use : use_of_gpus(plan, gpus)) switches += use.switches;
    return switches;
}

double over(const RunCourse& course) {
    const double planned = to_seconds(course.planned.makespan());
    return planned > 0 ? to_seconds(course.actual.makespan()) / planned - 1 : 0;
}

}  // namespace

RunCourse course_of(const Json& timeline) {
    RunCourse course;
    Batch& batch = course.batch;
    batch.kinds = {"gpu"};
    batch.nodes = {"here"};
    batch.gpus.resize(timeline["gpus"].get<std::size_t>());
    std::map<std::string, ModelId> models;
    std::map<std::string, std::uint32_t> shapes;
    const Json& rows = timeline["jobs"];
    for (std::size_t i = 0; i < rows.size();) {
        Request request{.id = rows[i]["request"].get<std::string>()};
        Workflow workflow;
        std::string shape;
        for (; i < rows.size() && rows[i]["request"] == request.id; ++i) {
            const std::string model = rows[i]["model"];
            const auto known = models.emplace(model, ModelId(static_cast<std::uint32_t>(batch.models.size()))).first;
            if (known->second.value() == batch.models.size()) batch.models.push_back({model, Bytes(0), 1});
            workflow.steps.push_back({.name = rows[i]["node"].get<std::string>(), .model = known->second});
            shape += workflow.steps.back().name + "\n" + model + "\n";
            const auto job = static_cast<JobIndex>(i);
            if (rows[i].contains("plan")) course.planned.jobs.push_back(job_of(job, rows[i]["plan"]));
            if (rows[i].contains("actual")) course.actual.jobs.push_back(job_of(job, rows[i]["actual"]));
            if (rows[i].contains("actual") && rows[i]["actual"].value("load_ahead_s", 0.0) > 0) ++course.loaded_beside;
            if (rows[i].contains("plan"))
                batch.models[known->second.value()].gpus = rows[i]["plan"]["gpus"].get<GpuCount>();
        }
        const auto known = shapes.emplace(shape, static_cast<std::uint32_t>(batch.workflows.size()));
        if (known.second) batch.workflows.push_back(std::move(workflow));
        request.workflow = known.first->second;
        batch.requests.push_back(std::move(request));
    }
    std::sort(course.planned.jobs.begin(), course.planned.jobs.end(),
              [](const PlannedJob& a, const PlannedJob& b) { return a.start < b.start; });
    tidy(course.actual.jobs, batch.gpus.size());
    add_preloads(timeline["loads"], course.actual.jobs);
    return course;
}

Json report_json(const Json& run, const RunCourse& course) {
    Json report = run;
    const std::size_t gpus = course.batch.gpus.size();
    report["actual"] = {{"makespan_s", to_seconds(course.actual.makespan())},
                        {"over_plan", over(course)},
                        {"switches", switches_of(course.actual, gpus)},
                        {"loaded_beside", course.loaded_beside},
                        {"gpus", Json::array()}};
    const double whole = to_seconds(course.actual.makespan());
    for (const GpuUse& use : use_of_gpus(course.actual, gpus))
        report["actual"]["gpus"].push_back({{"busy_s", to_seconds(use.busy)},
                                            {"switch_s", to_seconds(use.switching)},
                                            {"switches", use.switches},
                                            {"utilization", whole > 0 ? to_seconds(use.busy) / whole : 0}});
    report["slowest"] = Json::array();
    for (const Slow& slow : slowest(course))
        report["slowest"].push_back({{"step", name_of(course.batch, slow.job)}, {"seconds", slow.seconds}});
    return report;
}

std::string report_text(const Json& run, const RunCourse& course) {
    const Json report = report_json(run, course);
    const Json& counts = run["counts"];
    std::string out;
    const auto line = [&out](const char* what, const std::string& text) {
        out += fmt::format("{:<10} {}\n", what, text);
    };
    line("run",
         fmt::format("{} {}: {} requests, {} steps done{}{}", run["id"].get<std::uint64_t>(),
                     run["state"].get<std::string>(), run["requests"].get<std::uint64_t>(),
                     counts["done"].get<std::uint64_t>(),
                     counts["failed"] > 0 ? fmt::format(", {} failed", counts["failed"].get<std::uint64_t>()) : "",
                     counts["skipped"] > 0 ? fmt::format(", {} skipped", counts["skipped"].get<std::uint64_t>()) : ""));
    line("makespan", fmt::format("{:.2f} s, planned {:.2f} s ({:+.1f} %)", to_seconds(course.actual.makespan()),
                                 to_seconds(course.planned.makespan()), 100 * over(course)));
    line("switches", fmt::format("{}, planned {}{}", report["actual"]["switches"].get<std::uint64_t>(),
                                 switches_of(course.planned, course.batch.gpus.size()),
                                 course.loaded_beside == 0
                                     ? ""
                                     : fmt::format("; {} began while another model worked", course.loaded_beside)));
    line("on the way", fmt::format("{} steps went to another GPU than planned, the rest was planned anew {} times",
                                   run["steals"].get<std::uint64_t>(), run["replans"].get<std::uint64_t>()));
    const Json& gpus = report["actual"]["gpus"];
    for (std::size_t i = 0; i < std::min<std::size_t>(gpus.size(), 16); ++i)
        line(i == 0 ? "GPUs" : "",
             fmt::format("gpu{:<3} {:5.1f} % busy, {:6.2f} s loading, {} switches", i,
                         100 * gpus[i]["utilization"].get<double>(), gpus[i]["switch_s"].get<double>(),
                         gpus[i]["switches"].get<std::uint64_t>()));
    for (std::size_t i = 0; i < report["slowest"].size(); ++i)
        line(i == 0 ? "slowest" : "", fmt::format("{:.2f} s  {}", report["slowest"][i]["seconds"].get<double>(),
                                                  report["slowest"][i]["step"].get<std::string>()));
    return out;
}

}  // namespace sy::cli
