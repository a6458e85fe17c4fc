// Runs: every batch this service was given. One is conducted at a time, the first that came; the next begins when that
// one has handed out all it has, so that no GPU stands idle at its end. What was asked for is kept in documents
// under `runs/`, what became of it in the tasks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "service/runs/run.h"
#include "service/server/change.h"
#include "service/store/documents.h"

namespace sy::runs {

class Runs {
public:
    struct World {
        std::function<Instant()> clock;
        std::function<server::WallTime()> wall;
        std::function<LiveFacts()> facts;
        std::function<bool()> settled;                    ///< Whether the workers have come, as far as they will.
        std::function<void(std::function<void()>)> post;  ///< Onto the loop, from another thread.
    };

    /// `documents` outlives it.
    Runs(store::Documents& documents, Surroundings around, World world);
    ~Runs();
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    /// Takes up what earlier lives left.
    Result<void> open();
    /// Its number; on disk when this returns.
    Result<RunId> add(RunOrder order);
    Result<void> cancel(RunId id);
    /// Nothing where there is none.
    Run* find(RunId id);
    /// The same also of those that ended in an earlier life, as far as their tasks are still known.
    Result<Run*> look_into(RunId id);
    /// As it stands, or as it ended.
    Result<Json> summary(RunId id);
    Json list();
    /// The GPU's next change of model by the plans under way; nothing where none has one.
    std::optional<NextChange> next_change(GpuId gpu) const;
    bool any_under_way() const { return !runs_.empty(); }

    void see(const server::Change& change);
    /// At the end of every turn, before the engine's.
    void advance();

private:
    struct Planning {
        RunId run = 0;
        std::thread thread;
    };

    std::optional<Json> read(RunId id, const char* name) const;
    Result<void> write(RunId id, const char* name, const Json& json) const;
    Result<std::unique_ptr<Run>> restored(const Json& json) const;
    Result<std::unique_ptr<Run>> make(RunOrder order) const;
    void plan(Run& run);
    void plan_again(Run& run);
    bool is_being_planned(RunId id) const;
    void planned(RunId id, Plan plan);
    void begin_next();
    void finish(Run& run);
    void see(const server::TaskChange& change);

    store::Documents& documents_;
    Surroundings around_;
    World world_;
    RunId last_ = 0;
    std::map<RunId, std::unique_ptr<Run>> runs_;  ///< Those under way.
    std::map<RunId, Json> ended_;                 ///< How the others ended.
    std::unique_ptr<Run> looked_into_;            ///< The latest of the others that somebody wanted to know more of.
    std::map<TaskId, RunId> by_task_;
    std::vector<Planning> planning_;
};

}  // namespace sy::runs
