// Crew: the worker processes of this machine, one a GPU. They are started, and started again when they die, sooner at
// first and then less often. They are no children of one life of the server: a new server finds those of the old one
// at work and lets them be. One that says nothing for longer than its lease, because it was stopped or hangs, is
// killed, and what it ran with it, before the brain gives that to another (R3).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/gpu.h"
#include "core/model/timing.h"
#include "service/loop/loop.h"

namespace sy::server {

class Crew {
public:
    struct Options {
        std::string program;  ///< This binary.
        std::string folder;   ///< The server's, with the workers' socket and locks.
        GpuSpan gpus{GpuId(0), 0};
        std::vector<std::string> visible;  ///< By GPU, from the first on, for CUDA_VISIBLE_DEVICES; may be empty.
        std::vector<bool> spared;          ///< Likewise: it gets no worker, and one of an earlier life is sent away.
        Timing timing;
        std::uint64_t most_log_bytes = 0;
        /// When a worker last said something, or could have begun to.
        std::function<Instant(GpuId)> heard;
    };

    /// `gone` hears of each worker of ours that has ended, when nothing of what it ran is left.
    Crew(loop::Loop& loop, Options options, std::function<void(const std::string&)> say,
         std::function<void(GpuId)> gone);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    /// A child of ours that no task left behind: it is let be until it has ended.
    void spare(pid_t child) { spared_.insert(child); }
    void forget(pid_t child) { spared_.erase(child); }
    /// Whether a worker is at work in that folder, whoever started it.
    static bool any_at_work(const std::string& folder);
    /// Those there that go by other numbers than these.
    static std::vector<pid_t> others_at_work(const std::string& folder, const GpuSpan& gpus);
    bool all_gone() const;

    /// Asks all of them to end, those of an earlier life too.
    void dismiss();
    /// As many GPUs under other numbers, or other clocks: all of them end, and then others are started.
    void change(Options options);

private:
    static constexpr Duration kFirstPause = 10ms;

    struct Hand {
        pid_t pid = -1;  ///< -1: none that we started.
        int pidfd = -1;
        Duration pause = kFirstPause;
        Instant started;
        Instant struck;  ///< For its silence.
    };

    /// Hands are counted from 0, whatever the GPUs are called.
    std::uint32_t number_of(std::uint32_t hand) const { return options_.gpus.first.value() + hand; }
    std::string lock_of(std::uint32_t hand) const;
    bool is_spared(std::uint32_t gpu) const { return gpu < options_.spared.size() && options_.spared[gpu]; }
    std::vector<std::string> words_for(std::uint32_t gpu) const;
    void send_away(std::uint32_t gpu);
    void look_at_all();
    void change_once_all_are_gone();
    void look(std::uint32_t gpu);
    void start(std::uint32_t gpu);
    void ended(std::uint32_t gpu);
    void kill_the_silent();
    pid_t at_work(std::uint32_t gpu) const;
    void clear_up(std::uint32_t gpu);
    bool orphans_are_gone() const;

    loop::Loop& loop_;
    Options options_;
    std::function<void(const std::string&)> say_;
    std::function<void(GpuId)> gone_;
    std::vector<Hand> hands_;
    std::set<pid_t> spared_;
    bool dismissed_ = false;
    std::optional<Options> next_;  ///< To be in force once nobody is left who goes by the present ones.
};

}  // namespace sy::server
