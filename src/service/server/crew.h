// Crew: the worker processes of this machine, one a GPU. They are started, and started again when they die, sooner at
// first and then less often. They are no children of one life of the server: a new server finds those of the old one
// at work and lets them be.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/timing.h"
#include "service/loop/loop.h"

namespace sy::server {

class Crew {
public:
    struct Options {
        std::string program;  ///< This binary.
        std::string folder;   ///< The server's, with the workers' socket and locks.
        std::uint32_t gpus = 0;
        std::vector<std::string> visible;  ///< By GPU, for CUDA_VISIBLE_DEVICES; may be empty.
        std::vector<bool> spared;          ///< By GPU: it gets no worker, and one of an earlier life is sent away.
        Timing timing;
        std::uint64_t most_log_bytes = 0;
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
    /// Whether a worker of one of the first so many GPUs is at work, whoever started it.
    static bool any_at_work(const std::string& folder, std::uint32_t gpus);

    /// Asks all of them to end, those of an earlier life too.
    void dismiss();

private:
    static constexpr Duration kFirstPause = 10ms;

    struct Hand {
        pid_t pid = -1;  ///< -1: none that we started.
        int pidfd = -1;
        Duration pause = kFirstPause;
        Instant started;
    };

    bool is_spared(std::uint32_t gpu) const { return gpu < options_.spared.size() && options_.spared[gpu]; }
    std::vector<std::string> words_for(std::uint32_t gpu) const;
    void send_away(std::uint32_t gpu);
    void look(std::uint32_t gpu);
    void start(std::uint32_t gpu);
    void ended(std::uint32_t gpu);
    void clear_up(std::uint32_t gpu);
    bool orphans_are_gone() const;

    loop::Loop& loop_;
    Options options_;
    std::function<void(const std::string&)> say_;
    std::function<void(GpuId)> gone_;
    std::vector<Hand> hands_;
    std::set<pid_t> spared_;
    bool dismissed_ = false;
};

}  // namespace sy::server
