// Stage: plays a scenario. Commands go in line by line, the transcript comes out.
//
// The server's brain is the real one; workers are puppets that beat every ten seconds and believe what they are told,
// until the scenario silences them. docs/scenarios.md lists the commands.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/control/core.h"

namespace sy::scenario {

class Stage {
public:
    Stage();

    /// Plays one command and returns the lines it brings. A command nobody knows brings a line that says so.
    std::vector<std::string> play(std::string_view command);

private:
    struct Puppet {
        std::uint64_t hellos = 0;
        SessionId session;
        std::uint64_t beats = 0;
        Fence newest;  ///< Of what it was told to start.
        bool silent = false;
        Instant next_beat = kNever;
    };

    void act(const std::string& command);
    void use(const schedule::Policy& policy);
    void set_up_cluster(const std::vector<std::string>& words);
    void submit(const std::string& rest);
    void report(const std::vector<std::string>& words);
    void beat(GpuId gpu, Fence newest);
    void hello(GpuId gpu);
    void crash_and_recover();
    void move(const std::vector<std::string>& words);
    void explain(TaskId task);
    void show();

    void pass_time(Instant until);
    void feed(const Event& event);
    void hear(const Effect& effect);
    void say(const std::string& line);

    control::Settings settings_;
    control::Core core_;
    std::vector<Puppet> puppets_;
    std::map<std::pair<TaskId, std::uint32_t>, Fence> fences_;
    std::set<TaskId> seen_;
    Instant now_ = kStart;
    Instant asked_ = kStart;  ///< The instant the current command names.
    Instant wake_ = kNever;
    std::uint64_t requests_ = 0;
    bool whisper_ = false;
    std::vector<std::string> transcript_;
};

}  // namespace sy::scenario
