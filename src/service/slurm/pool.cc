// The problem: a queue changes by the second, a job takes seconds to minutes to start, may wait for hours, and costs
// its owner while it idles. The choices:
//
// Growing. What is needed is what waited at this look and at the last one, so that a task that found a GPU meanwhile
// starts no job. From it go the GPUs that are idle or on their way (jobs that wait in Slurm, workers that have not said
// hello yet); for the rest there are new jobs, as far as the limits go.
//
// Shrinking. A worker without work for `idle` is drained, and its job cancelled at the next look if nothing slipped in.
// If something did, or tasks wait again, it is resumed. The one with the highest slot need not go first: whoever is
// idle goes.
//
// Not in vain. A worker that was given back without ever having been used while tasks waited says that those tasks
// cannot run here (too wide, too large, tied to other GPUs). And a job that ended before its worker ever came says that
// workers do not come up. After either, and after an sbatch that failed, no job is started for a while, twice as long
// each time up to an hour, until a worker is of use.
#include "service/slurm/pool.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace sy::slurm {

namespace {

constexpr Duration kFirstPause = 10s;
constexpr Duration kLongestPause = 1h;

/// A worker that was started and has not said hello so long after is not expected any more.
constexpr Duration kMayTakeToCome = 5min;

/// Of two jobs for one slot: the one that runs, otherwise the older.
bool is_ahead(const JobSeen& a, const JobSeen& b) {
    const auto key = [](const JobSeen& job) {
        return std::tuple(job.stage != JobStage::running, job.id.size(), job.id);
    };
    return key(a) < key(b);
}

std::string text_of(Duration duration) {
    return fmt::format("{:.0f} s", to_seconds(duration));
}

}  // namespace

std::vector<Step> Pool::look(const Sight& sight, Instant now, Closing closing) {
    std::vector<Step> steps;
    take_in(sight, now, steps);
    if (closing != Closing::no) {
        close(closing, steps);
        return steps;
    }
    for (auto& [slot, place] : places_) look_at(slot, place, sight, now, steps);
    grow(sight, now, steps);
    waiting_before_ = sight.waiting;
    return steps;
}

void Pool::started(std::uint32_t slot, const std::string& job) {
    if (const auto at = places_.find(slot); at != places_.end()) at->second.job.id = job;
}

void Pool::start_failed(Instant now) {
    pause(now, kFirstPause);
}

void Pool::not_cancelled(std::uint32_t slot) {
    if (const auto at = places_.find(slot); at != places_.end()) at->second.cancelled = false;
}

/// Which jobs there are, and what became of those that were.
void Pool::take_in(const Sight& sight, Instant now, std::vector<Step>& steps) {
    std::map<std::uint32_t, Place> before = std::exchange(places_, {});
    std::vector<JobSeen> jobs = sight.jobs;
    std::stable_sort(jobs.begin(), jobs.end(), [](const JobSeen& a, const JobSeen& b) { return is_ahead(a, b); });
    for (const JobSeen& job : jobs) {
        if (job.stage == JobStage::over) continue;
        const auto [at, is_first] = places_.try_emplace(job.slot, Place{.job = job, .since = now});
        if (!is_first) {  // two for one slot: an sbatch that took effect and did not say so
            if (job.stage != JobStage::ending)
                steps.push_back({Step::Do::cancel, job.slot, job.id, "another job has its slot"});
            continue;
        }
        const auto known = before.find(job.slot);
        const bool is_same = known != before.end() && (known->second.job.id.empty() || known->second.job.id == job.id);
        if (!is_same) continue;
        at->second = known->second;
        at->second.job = job;
        at->second.host.reset();
        before.erase(known);
    }
    for (const HostSeen& host : sight.hosts)
        if (const auto at = places_.find(host.slot); at != places_.end()) at->second.host = host;
    note_ends(before, sight, now);
}

void Pool::note_ends(const std::map<std::uint32_t, Place>& gone, const Sight& sight, Instant now) {
    ended_.clear();
    for (const auto& [slot, place] : gone) {
        if (place.job.id.empty()) continue;  // it was asked for and never came to be
        const auto last = std::find_if(sight.jobs.begin(), sight.jobs.end(),
                                       [&id = place.job.id](const JobSeen& job) { return job.id == id; });
        ended_.push_back(
            {slot, place.job.id, last == sight.jobs.end() ? "" : last->word, place.cancelled, place.was_here});
        if (!place.was_here && !place.cancelled) pause(now, kFirstPause);
    }
}

void Pool::look_at(std::uint32_t slot, Place& place, const Sight& sight, Instant now, std::vector<Step>& steps) {
    if (place.leaves()) return;
    if (place.job.stage == JobStage::pending) {
        if (slot >= limits_.jobs) {
            cancel(slot, place, "there may not be so many", steps);
        } else if (nothing_waits(sight) && now - place.since >= limits_.idle) {
            cancel(slot, place, "it waits in Slurm and nothing waits for it", steps);
        }
        return;
    }
    if (!place.runs) place.runs = now;
    if (!place.is_here()) return look_at_one_without_worker(slot, place, now, steps);
    note_use(place, now);
    if (slot >= limits_.jobs) return send_home(slot, place, "there may not be so many", steps);
    if (is_about_to_end(place))
        return send_home(slot, place, fmt::format("its time is up in {}", text_of(*place.job.left)), steps);
    if (place.host->draining) return look_at_drained(slot, place, sight, now, steps);
    if (!place.unused || now - *place.unused < limits_.idle) return;
    place.drained = true;
    place.in_vain = sight.waiting > 0 && waiting_before_ > 0;
    steps.push_back({Step::Do::drain, slot, place.job.id,
                     fmt::format("it has had nothing to do for {}", text_of(now - *place.unused))});
}

/// One that was there may come back: its line is broken, or the service was started anew.
void Pool::look_at_one_without_worker(std::uint32_t slot, Place& place, Instant now, std::vector<Step>& steps) {
    place.unused.reset();
    if (place.was_here || now - *place.runs < kMayTakeToCome) return;
    cancel(slot, place, fmt::format("its worker has not come for {}", text_of(now - *place.runs)), steps);
    pause(now, kFirstPause);
}

void Pool::note_use(Place& place, Instant now) {
    place.was_here = true;
    if (place.host->busy == 0) {
        if (!place.unused) place.unused = now;
        return;
    }
    place.unused.reset();
    if (std::exchange(place.was_used, true)) return;
    last_pause_ = Duration::zero();  // workers come, and are of use
    pause_until_ = kStart;
}

/// It gets nothing new, and goes when nothing runs on it.
void Pool::send_home(std::uint32_t slot, Place& place, const std::string& why, std::vector<Step>& steps) {
    if (!place.host->draining) {
        steps.push_back({Step::Do::drain, slot, place.job.id, why});
    } else if (place.host->busy == 0) {
        cancel(slot, place, why + ", and nothing runs on it", steps);
    }
}

/// Drained for want of work, or by somebody's hand: then it is theirs to resume.
void Pool::look_at_drained(std::uint32_t slot, Place& place, const Sight& sight, Instant now,
                           std::vector<Step>& steps) {
    const bool is_of_use = place.host->busy > 0 || (sight.waiting > 0 && !place.in_vain);
    if (place.drained && is_of_use) {
        place.drained = false;
        place.unused.reset();
        steps.push_back({Step::Do::resume, slot, place.job.id, "it is of use again"});
        return;
    }
    if (!place.unused || now - *place.unused < limits_.idle) return;
    if (place.in_vain) pause(now, limits_.idle);
    cancel(slot, place, fmt::format("it has had nothing to do for {}", text_of(now - *place.unused)), steps);
}

void Pool::close(Closing closing, std::vector<Step>& steps) {
    for (auto& [slot, place] : places_) {
        if (place.leaves()) continue;
        if (closing == Closing::at_once) {
            cancel(slot, place, "everything is to end at once", steps);
        } else if (place.job.stage == JobStage::pending || !place.is_here() ||
                   (place.host->draining && place.host->busy == 0)) {
            cancel(slot, place, "everything is to end and nothing runs on it", steps);
        } else if (!place.host->draining) {
            steps.push_back({Step::Do::drain, slot, place.job.id, "everything is to end"});
        }
    }
}

void Pool::cancel(std::uint32_t slot, Place& place, std::string why, std::vector<Step>& steps) {
    place.cancelled = true;
    steps.push_back({Step::Do::cancel, slot, place.job.id, std::move(why)});
}

void Pool::pause(Instant now, Duration first) {
    last_pause_ = std::clamp(last_pause_ * 2, first, kLongestPause);
    pause_until_ = std::max(pause_until_, later(now, last_pause_));
}

/// GPUs, for tasks that waited at this look and at the last one.
std::uint64_t Pool::needed(const Sight& sight) const {
    return std::min(sight.waiting, waiting_before_) * limits_.gpus_per_task;
}

/// GPUs that will take a task sooner or later, without anybody's doing.
std::uint64_t Pool::unused_gpus() const {
    std::uint64_t unused = 0;
    for (const auto& [slot, place] : places_) {
        if (place.leaves() || is_about_to_end(place) || slot >= limits_.jobs) continue;
        if (place.is_here() && place.host->draining && !place.drained) continue;  // by somebody's hand
        const std::uint32_t busy = place.is_here() ? std::min(place.host->busy, limits_.gpus_per_job) : 0;
        unused += limits_.gpus_per_job - busy;
    }
    return unused;
}

void Pool::grow(const Sight& sight, Instant now, std::vector<Step>& steps) {
    const std::uint64_t unused = unused_gpus();
    const std::uint64_t needed_now = needed(sight);
    if (needed_now <= unused || now < pause_until_) return;
    std::uint64_t jobs = (needed_now - unused + limits_.gpus_per_job - 1) / limits_.gpus_per_job;
    for (std::uint32_t slot = 0; slot < limits_.jobs && jobs > 0; ++slot) {
        if (places_.contains(slot) || places_.size() >= limits_.jobs) continue;
        steps.push_back({Step::Do::start, slot, {}, fmt::format("{} tasks wait", sight.waiting)});
        places_.emplace(slot, Place{.job = {.slot = slot}, .since = now});
        --jobs;
    }
}

}  // namespace sy::slurm
