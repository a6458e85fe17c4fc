// Pool: how many workers a service should have under a batch system now, and which of them should go.
//
// Pure: what was seen goes in, what to do comes out, time is a parameter. A worker is a job in a slot; slots have
// stable names (slurm-0, slurm-1 …), so that a GPU keeps its number when its job is followed by another. It promises
// that
//  - never more jobs stand in slots than the limits allow, those that wait in Slurm counted;
//  - a worker is taken away only when nothing runs on it and nothing new can start there (it is drained first), or when
//    everything is to end at once;
//  - jobs follow a need that lasts, not one that was there for a moment, and not one they turned out not to serve;
//  - whatever Slurm ends, expected or not, leaves a slot that can be filled again.
// It knows nothing of processes, sockets and words: see slurm.h and allocator.h. All its state can be lost: it is
// found again in what is seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace sy::slurm {

struct PoolLimits {
    std::uint32_t jobs = 1;  ///< At most, at any time.
    std::uint32_t gpus_per_job = 1;
    std::uint32_t gpus_per_task = 1;  ///< As far as anybody knows.
    Duration idle = 60s;              ///< A worker that had nothing to do for so long is given back.
    Duration drain_ahead = 5min;      ///< So long before its time is up a job gets nothing new.
};

/// Where a job stands with Slurm.
enum class JobStage : std::uint8_t {
    pending,
    running,
    ending,  ///< On its way out; its slot is taken still.
    over,
};

/// A job of this pool, as Slurm shows it.
struct JobSeen {
    std::string id = {};
    std::uint32_t slot = 0;
    JobStage stage = JobStage::pending;
    std::string word = {};              ///< Slurm's: "PENDING", "NODE_FAIL" …
    std::string reason = {};            ///< Why it waits, or why it ended, as far as Slurm says.
    std::optional<Duration> left = {};  ///< Of its time, while it runs.

    friend bool operator==(const JobSeen&, const JobSeen&) = default;
};

/// A worker of this pool, as the service shows it.
struct HostSeen {
    std::uint32_t slot = 0;
    bool here = false;
    bool draining = false;
    std::uint32_t busy = 0;  ///< Of its GPUs.

    friend bool operator==(const HostSeen&, const HostSeen&) = default;
};

/// Everything that was seen at one look.
struct Sight {
    std::uint64_t waiting = 0;  ///< Tasks in line.
    std::vector<JobSeen> jobs;
    std::vector<HostSeen> hosts;
};

struct Step {
    enum class Do : std::uint8_t {
        start,   ///< A job for this slot.
        drain,   ///< Nothing new starts on its worker.
        resume,  ///< It is of use after all.
        cancel,  ///< Its job.
    };
    Do what = Do::start;
    std::uint32_t slot = 0;
    std::string job;  ///< To cancel.
    std::string why;

    friend bool operator==(const Step&, const Step&) = default;
};

/// A job that is over.
struct Ended {
    std::uint32_t slot = 0;
    std::string job;
    std::string word = {};  ///< Slurm's; empty where it says nothing of it any more.
    bool asked = false;     ///< We cancelled it.
    bool came = false;      ///< Its worker was there.

    friend bool operator==(const Ended&, const Ended&) = default;
};

/// How everything is to end, if it is.
enum class Closing : std::uint8_t {
    no,
    gently,  ///< What runs may end.
    at_once,
};

class Pool {
public:
    explicit Pool(PoolLimits limits) : limits_(limits) {}

    /// What to do after this look. `now` never runs backwards.
    std::vector<Step> look(const Sight& sight, Instant now, Closing closing = Closing::no);

    /// Slurm took the job for this slot under that number.
    void started(std::uint32_t slot, const std::string& job);
    /// Slurm would not take a job, or said nothing: its slot is as it was. No other is tried for a while.
    void start_failed(Instant now);

    /// Slurm did not hear that this slot's job is to go: it is told again.
    void not_cancelled(std::uint32_t slot);

    /// The jobs that were there at the look before the last, and at the last no more.
    const std::vector<Ended>& ended() const { return ended_; }
    /// Whether nothing is left to wait for, as of the last look.
    bool is_empty() const { return places_.empty(); }
    /// Not before this instant will a job be started; kStart where one may be now.
    Instant pause_until() const { return pause_until_; }

private:
    /// What is known of a slot whose job is not over.
    struct Place {
        JobSeen job;
        std::optional<HostSeen> host = {};
        Instant since;                       ///< When its job was first seen.
        std::optional<Instant> runs = {};    ///< Since then Slurm says that it does.
        std::optional<Instant> unused = {};  ///< Its worker is here and has had nothing to do since.
        bool was_here = false;
        bool was_used = false;
        bool drained = false;  ///< By us, for want of work.
        bool in_vain = false;  ///< And tasks waited that it did not serve.
        bool cancelled = false;

        bool is_here() const { return host && host->here; }
        bool leaves() const { return cancelled || job.stage == JobStage::ending; }
    };

    void take_in(const Sight& sight, Instant now, std::vector<Step>& steps);
    void note_ends(const std::map<std::uint32_t, Place>& gone, const Sight& sight, Instant now);
    void look_at(std::uint32_t slot, Place& place, const Sight& sight, Instant now, std::vector<Step>& steps);
    void look_at_one_without_worker(std::uint32_t slot, Place& place, Instant now, std::vector<Step>& steps);
    void note_use(Place& place, Instant now);
    void send_home(std::uint32_t slot, Place& place, const std::string& why, std::vector<Step>& steps);
    void look_at_drained(std::uint32_t slot, Place& place, const Sight& sight, Instant now, std::vector<Step>& steps);
    void close(Closing closing, std::vector<Step>& steps);
    void grow(const Sight& sight, Instant now, std::vector<Step>& steps);
    void cancel(std::uint32_t slot, Place& place, std::string why, std::vector<Step>& steps);
    void pause(Instant now, Duration first);
    bool nothing_waits(const Sight& sight) const { return sight.waiting == 0 && waiting_before_ == 0; }
    std::uint64_t needed(const Sight& sight) const;
    std::uint64_t unused_gpus() const;
    bool is_about_to_end(const Place& place) const { return place.job.left && *place.job.left <= limits_.drain_ahead; }

    PoolLimits limits_;
    std::map<std::uint32_t, Place> places_;
    std::vector<Ended> ended_;
    std::uint64_t waiting_before_ = 0;  ///< At the last look.
    Instant pause_until_ = kStart;
    Duration last_pause_{};
};

}  // namespace sy::slurm
