// Run: one batch on its way through the service. The conductor says what is to be handed to which GPU; each job
// becomes a task under a key of its own, so that after a crash the tasks themselves tell how far the run has come:
// nothing is lost and nothing done twice.
//
// On the loop's thread; only `plan` may be called on another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/execute/conductor.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"
#include "service/runs/live_batch.h"
#include "service/runs/render.h"
#include "service/server/engine.h"
#include "service/server/task_rules.h"

namespace sy::runs {

using RunId = std::uint64_t;

/// What somebody asked for, as it is kept.
struct RunOrder {
    RunId id = 0;
    std::string name;
    std::string user;
    double plan_seconds = 2;
    std::uint32_t tries = 3;
    server::WallTime created = 0;
    Json batch;  ///< The document.
};
Json to_json(const RunOrder& order);
Json to_json(const Plan& plan);
/// Nothing where it cannot be a plan of so many jobs.
std::optional<Plan> read_plan(const Json& json, std::size_t jobs);
Result<RunOrder> read_order(const Json& json);

enum class RunState : std::uint8_t { planning, waiting, running, ended, cancelled };
const char* name_of(RunState state);

/// What became of one job.
struct JobEnd {
    TaskId task;  ///< 0: it never became one.
    std::optional<server::TaskRecord> record;
    std::string refused;  ///< Why it did not become one; empty: it was not tried, or it did.
    Json answer;          ///< Of one that succeeded.
};

/// A GPU is to change to this model.
struct NextChange {
    std::string model;
    Duration in{};    ///< Negative: it should have.
    std::string run;  ///< What the run is called.
};

/// How a run reaches the service.
struct Surroundings {
    server::Engine& engine;
    server::TaskRules rules;
    bool allow_commands = true;
    std::function<std::string(TaskId, std::size_t attempt)> written_by;  ///< What a command wrote to standard output.
    std::function<void(const std::string&)> say;
};

class Run {
public:
    Run(RunOrder order, LiveBatch live, const Surroundings& around);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    const RunOrder& order() const { return order_; }
    RunState state() const { return state_; }
    const Batch& batch() const { return live_.batch; }
    const plan::Problem& problem() const { return problem_; }
    const Plan& planned() const { return plan_; }

    /// The best plan that can be found in the time. Changes nothing.
    Plan make_plan() const;
    /// The plan is there; the run waits for its turn.
    void adopt(Plan plan);
    /// Its turn has come. What earlier lives did is found by the keys.
    Result<void> begin(Instant now, server::WallTime wall, server::WallTime first_begun);
    /// Whether others may use what it leaves of the GPUs: all it has is handed out.
    bool is_through() const;

    // What happened.
    void started(TaskId task, const GpuSpan& where, Instant now);
    void ended(TaskId task, server::State state, Instant now);
    /// A task of somebody else's has begun there: what does the GPU hold now?
    void look_what_is_held(GpuId gpu);

    /// Hands out what can be handed out. `told` hears of each task that belongs to the run from now on.
    void advance(Instant now, const std::function<void(TaskId)>& told);
    void cancel(Instant now);
    /// None of its tasks is under way.
    bool is_settled() const { return by_task_.empty() && loads_.empty() && unanswered_ == 0; }
    bool is_over() const { return conductor_ && conductor_->is_over() && loads_.empty(); }
    /// Everything has ended.
    void close(server::WallTime wall);

    /// Those under way.
    template <class Visit>
    void for_each_task(Visit visit) const {
        for (const auto& [task, job] : by_task_) visit(task);
    }

    /// The GPU's next change of model, as the plan stands now.
    std::optional<NextChange> next_change(GpuId gpu, Instant now) const;

    /// Why jobs never became tasks: what must be kept of it beside those.
    Json refusals() const;
    void recall(const Json& refusals);

    Json summary(Instant now, server::WallTime wall) const;
    /// Requests from that one on, one JSON document a line.
    std::string results(std::size_t from, std::size_t count) const;
    /// How a job ended, with everything it answered.
    JobEnd end_of(JobIndex job) const;
    /// What was planned and what happened, job by job.
    Json timeline(std::size_t from, std::size_t count) const;
    /// Its workflows as graphs, and how far each step has come. In steps_json.cc.
    Json workflows() const;
    /// Models that were loaded ahead of the calls they were for.
    Json loads() const;

private:
    struct Job {
        TaskId task;  ///< The latest; 0: none yet.
        std::uint32_t tries = 0;
        std::string error;  ///< Why it failed without a task.
    };
    struct Preload {
        ModelId model;
        GpuSpan gpus;
    };

    // In run_gpus.cc.
    void look_at_gpus(Instant now);
    void look_who_is_taken(Instant now);
    Duration held_by_others_for(GpuId gpu) const;
    bool is_taken(const GpuSpan& span) const;
    void let_go_of_taken();
    bool runs_on_every_kind(JobIndex job) const;

    std::uint32_t jobs_ahead() const;
    std::uint32_t tries_of(JobIndex job) const;
    bool was_refused(JobIndex job) const;
    std::string key_of(JobIndex job, std::uint32_t attempt) const;
    GpuSpan in_plan(JobIndex job, const GpuSpan& where, const Demand& demand) const;
    std::string key_of_load(std::size_t number) const;
    const std::string& request_id(JobIndex job) const { return batch().requests[problem_.jobs().request(job)].id; }
    const Step& step(JobIndex job) const;
    const input::StepContent& content(JobIndex job) const;
    Result<void> find_earlier(JobIndex job, Instant now);
    Result<void> find_earlier_loads();
    void hand_out(const execute::Start& start, Instant now, const std::function<void(TaskId)>& told);
    void preload(const execute::Load& load, Instant now, const std::function<void(TaskId)>& told);
    Result<Json> task_of(JobIndex job, const GpuSpan& gpus) const;
    double seconds_since_created() const;
    Result<Json> rendered(JobIndex job) const;
    Result<Json> answer_of(JobIndex job) const;
    void submit(const Json& task, server::Engine::Reply<server::Placed> reply);
    void not_taken(JobIndex job, const std::string& why);
    void give_up(JobIndex job, const std::string& why, Instant now);
    Json step_json(JobIndex job) const;
    std::optional<server::TaskRecord> record_of(JobIndex job) const;
    Duration since_begin(Instant now) const { return now - begun_; }
    Instant run_time(Instant now) const { return kStart + since_begin(now); }

    RunOrder order_;
    LiveBatch live_;
    plan::Problem problem_;
    Surroundings around_;
    Plan plan_;
    RunState state_ = RunState::planning;
    std::optional<execute::Conductor> conductor_;
    std::vector<Job> jobs_;
    std::map<TaskId, JobIndex> by_task_;  ///< Of those under way.
    std::map<TaskId, Preload> loads_;     ///< Under way.
    std::vector<TaskId> preloads_;        ///< All there were.
    std::vector<bool> away_;              ///< By GPU: it does without them.
    std::vector<bool> taken_;             ///< By GPU: by others, for long.
    std::optional<Instant> looked_;       ///< Who is.
    bool dirty_ = true;                   ///< Something happened since it last handed out.
    Instant begun_;
    server::WallTime begun_wall_ = 0;       ///< In its first life.
    server::WallTime lived_before_ms_ = 0;  ///< Since then, when this life began.
    std::size_t unanswered_ = 0;            ///< Submissions.
    server::WallTime ended_wall_ = 0;
};

}  // namespace sy::runs
