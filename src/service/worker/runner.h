// Runner: a long-lived process that holds one model on one GPU and answers calls, one at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "service/process/command.h"
#include "service/worker/runner_words.h"

namespace sy::worker {

class Runner {
public:
    enum class Stage : std::uint8_t { loading, idle, busy, leaving };

    static Result<Runner> start(NameId model, const process::Command& command, Instant now);
    Runner(Runner&& other) noexcept;
    Runner& operator=(Runner&& other) noexcept;
    /// Kills what is left and waits for it.
    ~Runner();

    NameId model() const { return model_; }
    pid_t pid() const { return pid_; }  ///< Of its keeper.
    Stage stage() const { return stage_; }
    Instant started() const { return started_; }
    int out_fd() const { return out_; }
    int err_fd() const { return err_; }
    int in_fd() const { return unsent_.empty() ? -1 : in_; }  ///< Where there is something to write.

    /// It must be idle.
    void call(const std::string& id, const std::string& input_json);
    void cancel();
    /// Asks it to unload and end; `kill` ends it at once.
    void leave(Instant kill_at);
    void kill() const;
    /// When it must be made to go.
    Instant kill_at() const { return kill_at_; }
    void kill_if_due(Instant now);

    void write();
    /// Which of its streams have something to read.
    void note_ready(bool out, bool err) {
        out_ready_ = out;
        err_ready_ = err;
    }
    /// What it has said since the last time; `chatter` gets the rest of what it wrote, errors included.
    std::vector<RunnerWord> hear(const std::function<void(std::string_view, bool errors)>& chatter);
    /// Whether it has gone, and all that it started.
    bool has_gone();

private:
    Runner() = default;

    NameId model_;
    pid_t pid_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    Stage stage_ = Stage::loading;
    Instant started_;
    Instant kill_at_ = kNever;
    std::string id_;  ///< Of the call under way.
    std::string unsent_;
    std::string line_;  ///< What has come of the next one.
    bool flooded_ = false;
    bool out_ready_ = true;
    bool err_ready_ = true;
};

}  // namespace sy::worker
