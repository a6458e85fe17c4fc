// Engine: the brain in the real world. Events go in as they come; once a turn of the loop all of them are stepped
// together, written to the store as one group, and when the group is on disk its effects are carried out. So whatever
// was answered is durable (R1), and a sync is shared by all who came in the same turn.
//
// On the loop's thread alone.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/control/core.h"
#include "service/metrics/histogram.h"
#include "service/server/catalogue.h"
#include "service/server/change.h"
#include "service/server/known_keys.h"
#include "service/server/names.h"
#include "service/server/past.h"
#include "service/server/record.h"
#include "service/store/store.h"
#include "service/store/writer.h"

namespace sy::server {

/// What a client wants done.
struct Submission {
    std::string name;
    std::string user;
    wire::Work work;
    TaskSpec spec;
    std::string kind;  ///< Of the GPUs. Empty: any.
    std::string key;   ///< Said again, it names the same task (R5). Empty: none.
    Duration delay{};
    std::optional<Duration> deadline;  ///< From now.
    std::vector<Need> after;
    ArrayPlace array;
    Size size;       ///< Of a task that uses a model.
    Bytes estimate;  ///< What the model file says that it needs; 0: to be looked up.
    TaskId in_place_of;
};

struct Placed {
    TaskId task;
    std::uint64_t position = 0;
    bool again = false;  ///< It was handed in before, under the same key.
};

/// How the disk keeps up.
struct Commits {
    std::uint64_t commits = 0;
    std::uint64_t groups = 0;                            ///< In those commits.
    metrics::Histogram latency{metrics::kCommitBounds};  ///< From a turn to its durability.
};

class Engine {
public:
    /// How it acts on the world.
    struct World {
        std::function<Instant()> clock;     ///< Never jumps.
        std::function<WallTime()> wall;     ///< For people.
        std::function<void(Instant)> wake;  ///< Call `tick` at that instant of the clock.
        std::function<void(GpuId, wire::ToWorker)> send;
        std::function<void(std::function<void()>)> post;  ///< Onto the loop, from another thread.
        std::function<void(const Error&)> broken;         ///< The store has failed for good.
        std::function<void(const std::string&)> say;      ///< A line for the log.
        std::function<void(const Change&)> changed;       ///< Something is durable. May be empty.
        /// Part of the answer to a task's current attempt has come; not durable. May be empty.
        std::function<void(TaskId, std::uint32_t attempt, std::string_view bytes)> piece = {};
        /// A portion of old records was looked through; whether there are others. May be empty.
        std::function<void(std::size_t forgotten, bool more)> forgotten;
    };
    template <class T>
    using Reply = std::function<void(Result<T>)>;

    /// Goes on from what was read back of that store, under the new settings. When it returns, the store tells these.
    static Result<std::unique_ptr<Engine>> open(std::unique_ptr<store::Store> store, Past past,
                                                control::Settings settings, World world);

    /// The GPUs of this machine, under the name it has where others share the store; empty: it has none. An error where
    /// the store knows others under that name.
    Result<void> use(const std::vector<GpuSpec>& gpus, const std::string& name);
    /// A machine elsewhere, under its name, which it keeps: which GPUs its own are.
    void add_host(const std::string& name, std::vector<GpuSpec> gpus, Reply<GpuSpan> reply);
    /// It will not come back; refused while a worker or a task of it is there.
    void forget_host(const std::string& name, Reply<void> reply);
    /// Of all GPUs of the machine that has this one; empty: they differ, or nobody knows.
    void tell_kind(GpuId gpu, const std::string& kind);
    /// Whether there is a line to the machine that has this GPU, or why not.
    void tell_line(GpuId gpu, GpuDuty duty);
    std::string kind_text(KindId kind) const { return names_.text_of(NameId(kind.value())); }

    void submit(Submission submission, Reply<Placed> reply);
    void cancel(TaskId task, Reply<void> reply);
    /// The work of a task that ended badly, once more, as a new task.
    void requeue(TaskId task, Reply<Placed> reply);
    /// The models of this service; to be said before the first turn.
    void use(Catalogue catalogue);
    const Catalogue& catalogue() const { return catalogue_; }
    /// The models that sleep beside a GPU.
    const std::vector<NameId>& asleep(GpuId gpu) const;
    /// What those keep of its memory.
    Bytes kept_asleep(GpuId gpu) const;
    /// From now on commands run as the user who handed them in.
    void run_as_user() { run_as_user_ = true; }
    void pin(const std::string& model, bool pinned, Reply<void> reply);
    void unload(const std::string& model, Reply<void> reply);
    void change_level(TaskId task, Level level, Reply<Placed> reply);
    /// Within its level. `other`: of MoveTo::before.
    void move(TaskId task, MoveTo to, TaskId other, Reply<Placed> reply);
    /// A task that waits may go to any GPU.
    void untie(TaskId task, Reply<Placed> reply);
    void operate(GpuId gpu, GpuDuty duty, Reply<void> reply);
    void observe(const ObserveGpu& seen) { events_.emplace_back(seen); }
    /// The next portion of the records of tasks that ended before then. `clear` is called with each of them on another
    /// thread: it has so many attempts.
    void forget_ended(WallTime before, const std::function<void(TaskId, std::size_t attempts)>& clear);
    void pause(bool paused) { events_.emplace_back(PauseQueue{paused}); }
    /// Nothing new starts until the next life.
    void drain() { events_.emplace_back(Drain{}); }
    void nobody_sleeps_on(GpuId gpu) { asleep_.erase(gpu); }
    void worker_gone(GpuId gpu) {
        nobody_sleeps_on(gpu);
        events_.emplace_back(WorkerGone{gpu});
    }
    void hear(const wire::ToServer& message);
    void tick();
    /// At the end of every turn of the loop.
    void turn();

    /// How many groups of events the brain has taken: where it is the same, nothing has happened in between.
    std::uint64_t groups() const { return groups_; }
    const control::Core& core() const { return core_; }
    /// In the brain's time.
    Instant now() const { return world_.clock() + ahead_; }
    /// What is in memory of a task's record; nothing of most that have ended. Good until the next turn.
    const TaskRecord* peek(TaskId task) const;
    /// Which was handed in under that key; nothing where none was.
    Result<std::optional<TaskId>> task_under(const std::string& key);
    /// Calls once what is known of the task is on disk, so that nothing is shown that a crash could undo: at once,
    /// nearly always.
    void when_durable(TaskId task, std::function<void()> call);
    /// Nothing where there was never such a task.
    Result<std::optional<TaskRecord>> record(TaskId task);
    /// At most so many with smaller ids, the latest first.
    Result<std::vector<std::pair<TaskId, TaskRecord>>> before(TaskId task, std::uint32_t most);
    /// The same of tasks that ended badly and were not tried once more.
    Result<std::vector<std::pair<TaskId, TaskRecord>>> dead_before(TaskId task, std::uint32_t most);
    const Names& names() const { return names_; }
    /// Nothing gets through to the store, or nobody knows whether this server still leads: why nothing new is taken.
    /// Empty: it is.
    const std::string& takes_nothing_for() const { return held_.empty() ? full_ : held_; }
    bool takes_work() const { return takes_nothing_for().empty(); }
    bool is_full() const { return !full_.empty(); }
    bool is_held() const { return !held_.empty(); }
    /// The brain stands still, and what it is told waits, until `go_on`.
    void hold(const std::string& why) { held_ = why; }
    void go_on() { held_.clear(); }
    /// The last word: what was handed to the store is there, or never will be. False where some of it is not.
    bool end();
    const Commits& commits() const { return commits_; }

private:
    /// What waits for its group: an effect, or an answer that needs none.
    struct Waiting {
        std::uint64_t group = 0;
        std::variant<Effect, std::function<void()>> what;
    };

    /// A change that waits for its group.
    struct Told {
        std::uint64_t group = 0;
        Change change;
    };
    /// What a step may change without saying so.
    struct Before {
        bool paused = false;
        std::map<GpuId, SessionId> workers;  ///< Of those that something is said of.
        std::map<Fence, Report> failures;    ///< Reported in this turn.
    };

    Engine(std::unique_ptr<store::Store> store, control::Core core, control::Settings settings, World world);
    Result<void> come_into_force(control::Settings settings);

    void prewarm(const std::string& model, std::uint32_t gpus);
    Result<void> settle_needs(std::vector<Need>& after);
    Result<std::optional<KnownKeys::Known>> find_key(const std::string& word);
    void answer_again(const KnownKeys::Known& known, const Submission& said, const Reply<Placed>& reply);
    template <class T>
    RequestId expect(Reply<T> reply);

    void note(const Effect& effect, std::vector<TaskId>& changed);
    void note_accepted(const Accepted& accepted, std::vector<TaskId>& changed);
    void note_report(const wire::DetailedReport& report);
    Result<KindId> kind_named(const std::string& kind);
    Result<std::optional<GpuSpan>> known_node(const std::string& name, const std::vector<GpuSpec>& gpus) const;
    void answer_host(NameId name, const Result<GpuSpan>& span);
    void hand_on(const wire::Piece& piece);
    void note_sleepers(const wire::Sleepers& sleepers);
    TaskRecord* live_record(TaskId task);
    Result<void> recall_running();
    Result<void> recall(std::span<const TaskId> running);
    Result<std::vector<std::pair<TaskId, TaskRecord>>> read(const Result<std::vector<store::Record>>& rows) const;

    // In changes.cc.
    Before look_before(const std::vector<Event>& events) const;
    void note_retry(const ReportHeard& heard, const Effect* next, const Before& before, std::vector<TaskId>& changed);
    void note_void(const AttemptVoid& gone, std::vector<TaskId>& changed);
    void note_preempting(const Preempting& told);
    void note_after(const Before& before, std::span<const Effect> effects);
    void keep_change(TaskChange change);
    void tell_durable(std::uint64_t groups);
    void tell_disk(bool full, const std::string& message);
    void tell(const Change& change) const;

    void told(const store::News& news);
    void told_of_commits(std::uint64_t groups);
    void answer_beats(std::uint64_t groups);
    void carry_out(const Effect& effect);
    void answer(RequestId request, Result<Placed> result);

    std::unique_ptr<store::Store> store_;
    control::Settings settings_;
    World world_;
    control::Core core_;
    Duration ahead_{};  ///< The brain's time, less the clock's: time stands still while nobody lives it.
    std::unique_ptr<store::Reader> reader_;

    RequestId last_request_;
    std::vector<Event> events_;  ///< Of this turn.
    std::map<RequestId, Submission> submissions_;
    std::unordered_map<std::uint64_t, Reply<Placed>> replies_;
    std::map<NameId, Reply<GpuSpan>> arrivals_;  ///< Of hosts that are not known yet.
    Catalogue catalogue_;
    std::map<GpuId, std::vector<NameId>> asleep_;
    Names names_;
    KnownKeys keys_;
    std::vector<store::Key> new_keys_;  ///< Of this turn.
    std::vector<TaskId> started_;       ///< Likewise.
    /// Records of tasks that have not ended, as far as they were needed, and of those whose end is not on disk yet.
    std::map<TaskId, TaskRecord> live_;
    std::deque<std::pair<std::uint64_t, TaskId>> fading_;  ///< Who may be forgotten, by the group that says it.

    std::uint64_t groups_ = 0;
    std::uint64_t durable_ = 0;  ///< How many of them are on disk.
    std::uint64_t since_snapshot_ = 0;
    std::deque<Waiting> outbox_;
    std::deque<Told> changes_;
    std::deque<Instant> uncommitted_;  ///< When each group was handed to the writer.
    Commits commits_;
    std::string full_;  ///< What the store says of it.
    std::string held_;
    std::atomic<bool> broken_ = false;
    bool run_as_user_ = false;
    std::unique_ptr<store::Writer> writer_;  ///< Last: it calls back.
};

}  // namespace sy::server
