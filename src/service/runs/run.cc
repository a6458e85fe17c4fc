#include "service/runs/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "core/plan/planner.h"
#include "input/batch_workflows.h"
#include "service/loop/loop.h"
#include "service/server/task_json.h"

namespace sy::runs {

using input::StepContent;
using server::State;

namespace {

constexpr Duration kShort = 100ms;

}  // namespace

const char* name_of(RunState state) {
    switch (state) {
        case RunState::planning: return "planning";
        case RunState::waiting: return "waiting";
        case RunState::running: return "running";
        case RunState::ended: return "ended";
        case RunState::cancelled: return "cancelled";
    }
    return "unknown";
}

Run::Run(RunOrder order, LiveBatch live, const Surroundings& around)
    : order_(std::move(order)),
      live_(std::move(live)),
      problem_(live_.batch),
      around_(around),
      jobs_(problem_.jobs().size()),
      away_(live_.batch.gpus.size()),
      taken_(live_.batch.gpus.size()) {}

Plan Run::make_plan() const {
    plan::PlanOptions options;
    const Instant until = loop::Loop::now() + Duration(std::llround(order_.plan_seconds * 1e9));
    options.passes = plan::kAsLongAsItTakes;
    options.keep_going = [until] { return loop::Loop::now() < until; };
    return plan::make_plan(problem_, plan::kAuto, options);
}

void Run::adopt(Plan plan) {
    plan_ = std::move(plan);
    if (state_ == RunState::planning) state_ = RunState::waiting;
}

Result<void> Run::begin(Instant now, server::WallTime wall, server::WallTime first_begun) {
    begun_ = now;
    begun_wall_ = first_begun;
    lived_before_ms_ = wall - first_begun;
    state_ = RunState::running;
    conductor_.emplace(problem_, plan_.jobs, execute::Settings{.ahead = jobs_ahead(), .tries = order_.tries});
    for (JobIndex job = 0; job < jobs_.size(); ++job)
        if (auto found = find_earlier(job, now); !found) return found;
    if (auto found = find_earlier_loads(); !found) return found;
    return {};
}

/// What is handed out ahead cannot be given to another GPU any more, so that only calls so short that the way through
/// the service would be felt between two of them are.
std::uint32_t Run::jobs_ahead() const {
    Duration all{};
    for (JobIndex job = 0; job < jobs_.size(); ++job) all += problem_.jobs().least_time(job);
    return all < kShort * static_cast<std::int64_t>(jobs_.size()) ? 1 : 0;
}

std::string Run::key_of(JobIndex job, std::uint32_t attempt) const {
    return fmt::format("run/{}/{}/{}", order_.id, job, attempt);
}

const Step& Run::step(JobIndex job) const {
    return batch().workflows[batch().requests[problem_.jobs().request(job)].workflow].steps[problem_.jobs().step(job)];
}

const StepContent& Run::content(JobIndex job) const {
    return live_.content.of(batch(), problem_.jobs().request(job), problem_.jobs().step(job));
}

std::uint32_t Run::tries_of(JobIndex job) const {
    return std::min(order_.tries, content(job).tries.value_or(order_.tries));
}

/// The tasks of an earlier life are under the keys they would get now.
Result<void> Run::find_earlier(JobIndex job, Instant now) {
    for (std::uint32_t attempt = 1; attempt <= tries_of(job); ++attempt) {
        const auto known = around_.engine.task_under(key_of(job, attempt));
        if (!known) return tl::unexpected(known.error());
        if (!*known) break;
        const auto record = around_.engine.record(**known);
        if (!record) return tl::unexpected(record.error());
        if (!*record) break;
        jobs_[job].task = **known;
        jobs_[job].tries = attempt;
        const State state = (*record)->state;
        if (state == State::succeeded) {
            conductor_->done_before(job);
            return {};
        }
        if (state == State::cancelled) break;
        if (!server::has_ended(state)) {
            by_task_.emplace(**known, job);
            const auto* live = around_.engine.core().find(**known);
            const bool runs = live != nullptr && live->state != TaskState::waiting && live->state != TaskState::held;
            const GpuSpan& where = runs ? live->span : kAnywhere;
            conductor_->started(job, in_plan(job, where, (*record)->spec.demand), run_time(now));
            return {};
        }
    }
    const auto last = record_of(job);
    const bool was_cancelled = last && last->state == State::cancelled;
    const bool is_lost =
        jobs_[job].tries >= tries_of(job) || !jobs_[job].error.empty() || was_cancelled || was_refused(job);
    if (is_lost) conductor_->skip(job, run_time(now));
    return {};
}

std::string Run::key_of_load(std::size_t number) const {
    return fmt::format("run/{}/load/{}", order_.id, number);
}

/// Only to tell of them: what is loaded, the GPUs themselves say.
Result<void> Run::find_earlier_loads() {
    for (;;) {
        const auto known = around_.engine.task_under(key_of_load(preloads_.size()));
        if (!known) return tl::unexpected(known.error());
        if (!*known) return {};
        preloads_.push_back(**known);
    }
}

bool Run::is_through() const {
    if (!conductor_) return false;
    const auto progress = conductor_->progress(kStart);
    return progress.waiting + progress.ready == 0;
}

void Run::started(TaskId task, const GpuSpan& where, Instant now) {
    const auto found = by_task_.find(task);
    if (found == by_task_.end()) return;
    const Task* live = around_.engine.core().find(task);  // it may have ended meanwhile
    const JobIndex job = found->second;
    conductor_->started(job, in_plan(job, where, live == nullptr ? Demand{} : live->spec.demand), run_time(now));
    dirty_ = true;
}

/// A host that came later has GPUs that no plan knows. What went there, since its own GPU takes no work, counts as if
/// it ran where it was meant to; and so does what still waits.
GpuSpan Run::in_plan(JobIndex job, const GpuSpan& where, const Demand& demand) const {
    if (where.count > 0 && where.end().value() <= away_.size()) return where;
    return demand.is_tied() ? demand.on : problem_.spans(problem_.jobs().model(job)).front();
}

void Run::ended(TaskId task, State state, Instant now) {
    if (const auto load = loads_.find(task); load != loads_.end()) {
        const Preload done = load->second;
        loads_.erase(load);
        dirty_ = true;
        if (state == State::succeeded) return conductor_->loaded(done.model, done.gpus, run_time(now));
        return conductor_->load_failed(done.model, done.gpus, run_time(now));
    }
    const auto found = by_task_.find(task);
    if (found == by_task_.end()) return;
    const JobIndex job = found->second;
    by_task_.erase(found);
    dirty_ = true;
    if (state == State::succeeded) {
        conductor_->ended(job, run_time(now));
    } else if (state == State::cancelled) {
        conductor_->skip(job, run_time(now));
    } else if (conductor_->failed(job, run_time(now))) {
        if (jobs_[job].tries >= tries_of(job)) return give_up(job, "every try was used up", now);
        if (was_refused(job)) return give_up(job, "the model's server refused it", now);
        around_.say(fmt::format("run {}: {}.{} {}, it is tried again", order_.id, request_id(job), step(job).name,
                                server::name_of(state)));
    }
}

/// By a model's server, which would say the same again.
bool Run::was_refused(JobIndex job) const {
    constexpr std::uint32_t kTooSlow = 408;
    constexpr std::uint32_t kTooMany = 429;
    const auto record = record_of(job);
    if (!record || record->attempts.empty()) return false;
    const auto status = record->attempts.back().details.http_status;
    return status >= 400 && status < 500 && status != kTooSlow && status != kTooMany;
}

void Run::advance(Instant now, const std::function<void(TaskId)>& told) {
    if (state_ != RunState::running) return;
    look_at_gpus(now);
    if (!std::exchange(dirty_, false)) return;
    for (const execute::Order& order : conductor_->decide(run_time(now))) {
        if (const auto* start = std::get_if<execute::Start>(&order)) {
            hand_out(*start, now, told);
        } else {
            preload(std::get<execute::Load>(order), now, told);
        }
    }
}

void Run::submit(const Json& task, server::Engine::Reply<server::Placed> reply) {
    auto submission = server::read_submission(task);
    if (submission) submission = server::under_rules(std::move(*submission), task, around_.rules);
    if (!submission) return reply(tl::unexpected(submission.error()));
    submission->user = order_.user;
    if (const auto settled = server::settle_account(*submission, task, around_.rules); !settled)
        return reply(tl::unexpected(settled.error()));
    ++unanswered_;
    around_.engine.submit(std::move(*submission),
                          [this, reply = std::move(reply)](const Result<server::Placed>& placed) {
                              --unanswered_;
                              if (placed && state_ == RunState::cancelled)  // too late for it to be cancelled with us
                                  around_.engine.cancel(placed->task, [](const Result<void>&) {});
                              reply(placed);
                          });
}

void Run::hand_out(const execute::Start& start, Instant now, const std::function<void(TaskId)>& told) {
    const JobIndex job = start.job;
    auto task = task_of(job, start.gpus);
    if (!task) return give_up(job, task.error().message, now);
    (*task)["key"] = key_of(job, ++jobs_[job].tries);
    const std::string next = start.next ? batch().models[start.next->value()].name : "";
    if (task->contains("model") && around_.engine.catalogue().models().contains(next)) (*task)["next_model"] = next;
    submit(*task, [this, job, told](const Result<server::Placed>& placed) {
        if (!placed) return not_taken(job, placed.error().message);
        jobs_[job].task = placed->task;
        by_task_.emplace(placed->task, job);
        told(placed->task);
    });
}

void Run::preload(const execute::Load& load, Instant now, const std::function<void(TaskId)>& told) {
    const std::string& model = batch().models[load.model.value()].name;
    if (model == input::kCommandModel)  // there is nothing to load
        return conductor_->loaded(load.model, load.gpus, run_time(now));
    const std::size_t number = preloads_.size();
    preloads_.emplace_back();
    const Json task{
        {"model", model},    {"load_only", true}, {"on", load.gpus.first.value()}, {"gpus", load.gpus.count},
        {"name", "preload"}, {"priority", "LOW"}, {"key", key_of_load(number)}};
    submit(task, [this, load, told, number](const Result<server::Placed>& placed) {
        const bool is_new = placed && !placed->again;
        if (!is_new) return conductor_->load_failed(load.model, load.gpus, run_time(loop::Loop::now()));
        preloads_[number] = placed->task;
        loads_.emplace(placed->task, Preload{load.model, load.gpus});
        told(placed->task);
    });
}

Result<Json> Run::task_of(JobIndex job, const GpuSpan& gpus) const {
    const Request& request = batch().requests[problem_.jobs().request(job)];
    const StepContent& does = content(job);
    auto work = rendered(job);
    if (!work) return work;
    Json task{{"name", fmt::format("{}.{}", batch().workflows[request.workflow].name, step(job).name)},
              {"on", gpus.first.value()},
              {"gpus", gpus.count},
              {"priority", sy::name_of(request.level)},
              {"estimate_s", std::max(0.0, to_seconds(problem_.time(job, gpus)))}};
    if (does.timeout_seconds) task["timeout_s"] = *does.timeout_seconds;
    if (does.deadline_seconds) {
        const double left = *does.deadline_seconds - seconds_since_created();
        if (left <= 0) return fail(Fault::invalid_input, "its deadline has passed");
        task["deadline_s"] = std::max(left, 0.001);
    }
    if (does.what == StepContent::What::command) {
        task["command"] = std::move(*work);
        if (!does.folder.empty()) task["folder"] = does.folder;
        return task;
    }
    const std::string& model = batch().models[problem_.jobs().model(job).value()].name;
    task["model"] = model;
    if (does.what == StepContent::What::request) {
        if (!work->contains("model")) (*work)["model"] = model;
        task["input"] = Json{{"path", does.path}, {"body", std::move(*work)}};
    } else {
        task["input"] = std::move(*work);
    }
    return task;
}

double Run::seconds_since_created() const {
    return static_cast<double>(begun_wall_ + lived_before_ms_ - order_.created) / 1e3 +
           to_seconds(since_begin(loop::Loop::now()));
}

Result<Json> Run::rendered(JobIndex job) const {
    const StepContent& does = content(job);
    if (does.what == StepContent::What::nothing)
        return Json{{"request", request_id(job)},
                    {"step", step(job).name},
                    {"seconds", to_seconds(problem_.jobs().least_time(job))}};
    const Json fields = Json::parse(live_.content.fields[problem_.jobs().request(job)], nullptr, false);
    auto work = render(Json::parse(does.json, nullptr, false), fields, [&](const std::string& name) {
        const auto& steps = batch().workflows[batch().requests[problem_.jobs().request(job)].workflow].steps;
        for (std::uint32_t s = 0; s < steps.size(); ++s)
            if (steps[s].name == name) return answer_of(problem_.jobs().first_of(problem_.jobs().request(job)) + s);
        return Result<Json>(fail(Fault::invalid_input, fmt::format("there is no step {}", name)));
    });
    if (work && does.what == StepContent::What::command)
        for (Json& word : *work)
            if (!word.is_string()) word = word.dump();
    return work;
}

std::optional<server::TaskRecord> Run::record_of(JobIndex job) const {
    if (jobs_[job].task == TaskId{}) return std::nullopt;
    auto record = around_.engine.record(jobs_[job].task);
    return record ? std::move(*record) : std::nullopt;
}

Result<Json> Run::answer_of(JobIndex job) const {
    const auto record = record_of(job);
    if (!record || record->state != State::succeeded || record->attempts.empty())
        return fail(Fault::failed, fmt::format("the answer of {} is not there any more", step(job).name));
    if (record->work.model.empty()) return Json(around_.written_by(jobs_[job].task, record->attempts.size()));
    return Json::parse(record->attempts.back().details.output, nullptr, false);
}

/// While the disk is full nothing is: that is no fault of the job's.
void Run::not_taken(JobIndex job, const std::string& why) {
    const Instant now = loop::Loop::now();
    if (around_.engine.takes_work()) return give_up(job, why, now);
    --jobs_[job].tries;
    dirty_ = true;
    conductor_->taken_back(job, run_time(now));
}

void Run::give_up(JobIndex job, const std::string& why, Instant now) {
    jobs_[job].error = why;
    dirty_ = true;
    conductor_->skip(job, run_time(now));
    around_.say(fmt::format("run {}: {}.{} cannot be run: {}", order_.id, request_id(job), step(job).name, why));
}

void Run::cancel(Instant) {
    state_ = RunState::cancelled;
    for (const auto& [task, job] : by_task_) around_.engine.cancel(task, [](const Result<void>&) {});
    for (const auto& [task, load] : loads_) around_.engine.cancel(task, [](const Result<void>&) {});
}

void Run::close(server::WallTime wall) {
    if (state_ == RunState::running) state_ = RunState::ended;
    ended_wall_ = wall;
}

}  // namespace sy::runs
