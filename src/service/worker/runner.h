// Runner: a long-lived process that holds one model, on one GPU or a gang, and answers calls, one at a time. How it is
// spoken to is the business of those that derive from this: lines of JSON (line_runner.h), or HTTP (server_runner.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "core/model/gpu.h"
#include "service/process/command.h"
#include "service/process/spawn.h"
#include "service/worker/runner_words.h"

namespace sy::worker {

class Runner {
public:
    enum class Stage : std::uint8_t { loading, idle, busy, falling_asleep, asleep, waking, leaving };
    using Chatter = std::function<void(std::string_view, bool errors)>;

    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    /// Kills what is left and waits for it.
    virtual ~Runner();

    NameId model() const { return model_; }
    const GpuSpan& span() const { return span_; }
    void lie_on(const GpuSpan& span) { span_ = span; }
    pid_t pid() const { return pid_; }  ///< Of its keeper.
    Stage stage() const { return stage_; }
    /// When it began to load, to wake or to fall asleep, whichever was last.
    Instant began() const { return began_; }
    int out_fd() const { return out_; }
    int err_fd() const { return err_; }
    /// Where it is spoken to, and what is waited for there.
    virtual pollfd line() const = 0;

    /// It must be idle.
    virtual void call(const std::string& id, const std::string& input_json) = 0;
    virtual void cancel() = 0;
    /// Asks it to unload and end; `kill` ends it at once.
    virtual void leave(Instant kill_at) = 0;
    void kill() const;
    void kill_if_due(Instant now);

    /// Whether it can leave the GPU and stay; it must be idle to do so, and asleep to be woken.
    virtual bool can_sleep() const { return false; }
    virtual void fall_asleep(Instant) {}
    virtual void wake(Instant) {}

    /// When it must be heard even if it says nothing.
    virtual Instant next_due() const { return stage_ == Stage::leaving ? kill_at_ : kNever; }
    /// Which of its streams have something to read.
    void note_ready(bool out, bool err) {
        out_ready_ = out;
        err_ready_ = err;
    }
    /// What it has said since the last time; `chatter` gets the rest of what it wrote, errors included.
    virtual std::vector<RunnerWord> hear(Instant now, const Chatter& chatter) = 0;
    /// Whether it has gone, and all that it started.
    bool has_gone();

protected:
    Runner(NameId model, Instant now) : model_(model), began_(now) {}
    /// Starts the process. `in` is its standard input, and is closed here.
    Result<void> start(const process::Command& command, int in);
    void enter(Stage stage) { stage_ = stage; }
    void begin(Stage stage, Instant now) {
        stage_ = stage;
        began_ = now;
    }
    void leave_by(Instant kill_at) {
        stage_ = Stage::leaving;
        kill_at_ = kill_at;
    }
    /// Hands on what it has written.
    void read_out(const std::function<void(std::string_view)>& hear);
    void read_err(const Chatter& chatter);

private:
    NameId model_;
    GpuSpan span_;
    pid_t pid_ = -1;
    int out_ = -1;
    int err_ = -1;
    Stage stage_ = Stage::loading;
    Instant began_;
    Instant kill_at_ = kNever;  ///< When it must be made to go.
    bool out_ready_ = true;
    bool err_ready_ = true;
};

}  // namespace sy::worker
