// What people see of a run: how it stands, what came out, and what happened when.
#include <algorithm>

#include <fmt/format.h>

#include "service/runs/run.h"
#include "service/server/wall_text.h"

namespace sy::runs {

using execute::Stand;
using server::State;

Json to_json(const RunOrder& order) {
    return {
        {"id", order.id},       {"name", order.name},       {"user", order.user},  {"plan_seconds", order.plan_seconds},
        {"tries", order.tries}, {"created", order.created}, {"batch", order.batch}};
}

Json to_json(const Plan& plan) {
    Json jobs = Json::array();
    for (const PlannedJob& job : plan.jobs)
        jobs.push_back({job.job, job.gpus.first.value(), job.gpus.count,
                        job.load ? Json(job.load->start.time_since_epoch().count()) : Json(nullptr),
                        job.load ? Json(job.load->end.time_since_epoch().count()) : Json(nullptr),
                        job.start.time_since_epoch().count(), job.end.time_since_epoch().count()});
    return {{"strategy", plan.strategy},
            {"lower_bound_ns", plan.lower_bound.count()},
            {"planning_ns", plan.planning.count()},
            {"jobs", std::move(jobs)}};
}

std::optional<Plan> read_plan(const Json& json, std::size_t jobs) {
    try {
        Plan plan;
        plan.strategy = json.at("strategy").get<std::string>();
        plan.lower_bound = Duration(json.at("lower_bound_ns").get<std::int64_t>());
        plan.planning = Duration(json.at("planning_ns").get<std::int64_t>());
        const auto instant = [](const Json& at) { return kStart + Duration(at.get<std::int64_t>()); };
        for (const Json& row : json.at("jobs")) {
            PlannedJob job{.job = row.at(0).get<JobIndex>(),
                           .gpus = {GpuId(row.at(1).get<std::uint32_t>()), row.at(2).get<GpuCount>()},
                           .start = instant(row.at(5)),
                           .end = instant(row.at(6))};
            if (!row.at(3).is_null()) job.load = SwitchTimes{instant(row.at(3)), instant(row.at(4))};
            if (job.job >= jobs) return std::nullopt;
            plan.jobs.push_back(job);
        }
        return plan;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

Result<RunOrder> read_order(const Json& json) {
    try {
        return RunOrder{.id = json.at("id").get<RunId>(),
                        .name = json.at("name").get<std::string>(),
                        .user = json.at("user").get<std::string>(),
                        .plan_seconds = json.at("plan_seconds").get<double>(),
                        .tries = json.at("tries").get<std::uint32_t>(),
                        .created = json.at("created").get<server::WallTime>(),
                        .batch = json.at("batch")};
    } catch (const Json::exception& trouble) {
        return fail(Fault::failed, fmt::format("the order of a run cannot be read: {}", trouble.what()));
    }
}

namespace {

const char* word_for(Stand stand) {
    switch (stand) {
        case Stand::waiting: return "waiting";
        case Stand::ready: return "ready";
        case Stand::ordered: return "queued";
        case Stand::running: return "running";
        case Stand::done: return "succeeded";
        case Stand::failed: return "failed";
        case Stand::skipped: return "skipped";
    }
    return "unknown";
}

}  // namespace

Json Run::summary(Instant now, server::WallTime wall) const {
    Json json{{"id", order_.id},
              {"name", order_.name},
              {"user", order_.user},
              {"state", name_of(state_)},
              {"created", server::time_text(order_.created)},
              {"requests", batch().requests.size()},
              {"jobs", jobs_.size()}};
    if (state_ != RunState::planning)
        json["plan"] = {{"makespan_s", to_seconds(plan_.makespan())},
                        {"lower_bound_s", to_seconds(plan_.lower_bound)},
                        {"gap", plan_.gap()},
                        {"planning_s", to_seconds(plan_.planning)}};
    std::uint64_t planned_switches = 0;
    for (const GpuUse& use : use_of_gpus(plan_, batch().gpus.size())) planned_switches += use.switches;
    if (state_ != RunState::planning) json["plan"]["switches"] = planned_switches;
    if (!conductor_) return json;
    const auto progress = conductor_->progress(run_time(now));
    const server::WallTime until = ended_wall_ != 0 ? ended_wall_ : wall;
    const auto refused = static_cast<std::size_t>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return !job.error.empty(); }));
    json["counts"] = {{"done", progress.done},
                      {"running", progress.running},
                      {"ready", progress.ready},
                      {"waiting", progress.waiting},
                      {"failed", progress.failed + refused},
                      {"skipped", progress.skipped - std::min(refused, progress.skipped)}};
    json["switches"] = progress.switches;
    json["steals"] = progress.steals;
    json["replans"] = progress.replans;
    json["gpus_taken"] = std::count(taken_.begin(), taken_.end(), true);
    json["elapsed_s"] = static_cast<double>(until - begun_wall_) / 1e3;
    json["started"] = server::time_text(begun_wall_);
    if (ended_wall_ != 0) {
        json["ended"] = server::time_text(ended_wall_);
    } else {
        json["expected_s"] = to_seconds(progress.expected_end - kStart);
    }
    return json;
}

Json Run::refusals() const {
    Json refusals = Json::object();
    for (std::size_t job = 0; job < jobs_.size(); ++job)
        if (!jobs_[job].error.empty()) refusals[std::to_string(job)] = jobs_[job].error;
    return refusals;
}

void Run::recall(const Json& refusals) {
    for (std::size_t job = 0; job < jobs_.size(); ++job)
        if (const auto why = refusals.find(std::to_string(job)); why != refusals.end() && why->is_string())
            jobs_[job].error = why->get<std::string>();
}

Json Run::step_json(JobIndex job) const {
    Json json{{"state", conductor_ ? word_for(conductor_->stand(job)) : "waiting"}};
    const auto record = record_of(job);
    if (!jobs_[job].error.empty()) {
        json["state"] = "failed";
        json["error"] = jobs_[job].error;
    }
    if (!record) return json;
    json["task"] = jobs_[job].task.value();
    if (server::has_ended(record->state) && jobs_[job].error.empty()) json["state"] = server::name_of(record->state);
    if (record->attempts.empty()) return json;
    const server::AttemptRecord& last = record->attempts.back();
    if (!last.details.error.empty()) json["error"] = last.details.error;
    if (record->state != State::succeeded && !last.details.tail.empty()) json["stderr"] = last.details.tail;
    if (record->work.model.empty() && last.details.exit_code != 0) json["exit_code"] = last.details.exit_code;
    if (record->state != State::succeeded) return json;
    json["output"] = record->work.model.empty() ? Json(around_.written_by(jobs_[job].task, record->attempts.size()))
                                                : output_of(Json::parse(last.details.output, nullptr, false));
    return json;
}

JobEnd Run::end_of(JobIndex job) const {
    JobEnd end{.task = jobs_[job].task, .record = record_of(job), .refused = jobs_[job].error, .answer = nullptr};
    if (!end.record || end.record->state != State::succeeded || !end.refused.empty()) return end;
    if (auto answer = answer_of(job)) end.answer = std::move(*answer);
    return end;
}

std::optional<NextChange> Run::next_change(GpuId gpu, Instant now) const {
    if (!conductor_ || state_ != RunState::running || gpu.value() >= batch().gpus.size()) return std::nullopt;
    const auto next = conductor_->next_change(gpu);
    if (!next) return std::nullopt;
    return NextChange{batch().models[next->model.value()].name, next->at - run_time(now),
                      order_.name.empty() ? fmt::format("run {}", order_.id) : order_.name};
}

std::string Run::results(std::size_t from, std::size_t count) const {
    std::string text;
    const std::size_t end = std::min(batch().requests.size(), from + count);
    for (std::size_t r = from; r < end; ++r) {
        const Request& request = batch().requests[r];
        const Workflow& workflow = batch().workflows[request.workflow];
        std::vector<bool> is_needed(workflow.steps.size());
        for (const Step& step : workflow.steps)
            for (const std::uint32_t need : step.needs) is_needed[need] = true;
        Json steps = Json::object();
        Json last = Json::object();
        bool all = true;
        for (std::uint32_t s = 0; s < workflow.steps.size(); ++s) {
            Json step = step_json(problem_.jobs().first_of(static_cast<std::uint32_t>(r)) + s);
            all = all && step["state"] == "succeeded";
            if (!is_needed[s] && step.contains("output")) last[workflow.steps[s].name] = step["output"];
            steps[workflow.steps[s].name] = std::move(step);
        }
        Json line{{"id", request.id}, {"workflow", workflow.name}, {"state", all ? "succeeded" : "failed"}};
        line["output"] = last.empty() ? Json(nullptr) : last.size() == 1 ? *last.begin() : last;
        line["steps"] = std::move(steps);
        text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return text;
}

Json Run::loads() const {
    Json rows = Json::array();
    for (const TaskId task : preloads_) {
        const auto record = around_.engine.record(task);
        if (!record || !*record || (*record)->attempts.empty() || (*record)->state != State::succeeded) continue;
        const server::AttemptRecord& last = (*record)->attempts.back();
        rows.push_back({{"model", (*record)->work.model},
                        {"gpu", last.gpus.first.value()},
                        {"start_s", static_cast<double>(last.started - begun_wall_) / 1e3},
                        {"end_s", static_cast<double>(last.ended - begun_wall_) / 1e3},
                        {"load_s", static_cast<double>(last.details.load_us) / 1e6}});
    }
    return rows;
}

namespace {

/// "running" while its last attempt lasts, "actual" once that has ended.
void add_course(Json& row, const server::TaskRecord& record, server::WallTime begun) {
    const server::AttemptRecord& last = record.attempts.back();
    const auto since_begun = [&](server::WallTime time) { return static_cast<double>(time - begun) / 1e3; };
    Json course{{"gpu", last.gpus.first.value()}, {"gpus", last.gpus.count}};
    if (last.ended == 0) {
        course["start_s"] = since_begun(last.started);
        row["running"] = std::move(course);
        return;
    }
    course["load_s"] = static_cast<double>(last.details.load_us) / 1e6;
    course["load_ahead_s"] = static_cast<double>(last.details.ahead_us) / 1e6;
    course["start_s"] = since_begun(last.started);
    course["end_s"] = since_begun(last.ended);
    course["state"] = server::name_of(record.state);
    row["actual"] = std::move(course);
}

}  // namespace

Json Run::timeline(std::size_t from, std::size_t count) const {
    Json rows = Json::array();
    std::vector<const PlannedJob*> planned(jobs_.size());
    for (const PlannedJob& job : plan_.jobs) planned[job.job] = &job;
    const std::size_t end = std::min(jobs_.size(), from + count);
    for (std::size_t j = from; j < end; ++j) {
        const auto job = static_cast<JobIndex>(j);
        Json row{{"request", request_id(job)},
                 {"node", step(job).name},
                 {"model", batch().models[problem_.jobs().model(job).value()].name}};
        if (const PlannedJob* plan = planned[j])
            row["plan"] = {{"gpu", plan->gpus.first.value()},
                           {"gpus", plan->gpus.count},
                           {"load_s", plan->load ? to_seconds(plan->load->end - plan->load->start) : 0},
                           {"start_s", to_seconds(plan->start - kStart)},
                           {"end_s", to_seconds(plan->end - kStart)}};
        if (const auto record = record_of(job); record && !record->attempts.empty())
            add_course(row, *record, begun_wall_);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace sy::runs
