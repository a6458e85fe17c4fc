// All these orders keep one list L and sort it stably by a number: what remains for srtf and srsf, the queue for mlfq
// and las, nothing at all for rr. "Appended to the next queue" is then: a larger number, and to the end of L.
#include "simulate/naive_preempt.h"

#include <algorithm>

namespace sy::naive {

namespace {

bool has_queues(const Options& options) {
    return options.order == "mlfq" || options.order == "las";
}

std::int64_t sort_key(const World& world, const JobState& job) {
    if (world.options.order == "srtf") return job.remaining.count();
    if (world.options.order == "srsf") return job.remaining.count() * job.demand->gpus;
    if (world.options.order == "smallest") return job.demand->gpus;
    if (has_queues(world.options)) return static_cast<std::int64_t>(job.queue);
    return 0;
}

void move_to_end(World& world, std::size_t job) {
    std::erase(world.line, job);
    world.line.push_back(job);
}

bool somebody_waits(const World& world) {
    return std::any_of(world.jobs.begin(), world.jobs.end(), [](const JobState& job) { return job.is_waiting(); });
}

// Slices of rr.

bool slice_ends_now(const World& world, const JobState& job) {
    const Duration since = world.now - job.slice_begin;
    return job.running && since > 0ns && since % world.options.slice == 0ns;
}

Instant next_slice_end(const World& world, const JobState& job) {
    const Duration since = world.now - job.slice_begin;
    return job.slice_begin + world.options.slice * (since / world.options.slice + 1);
}

void end_slices(World& world) {
    const bool gives_way = somebody_waits(world);
    for (std::size_t job = 0; job < world.jobs.size(); ++job) {
        if (!slice_ends_now(world, world.jobs[job])) continue;
        if (gives_way) move_to_end(world, job);
        world.jobs[job].slice_begin = world.now;
    }
}

// Queues of mlfq and las.

/// How much service takes a job out of its queue; nothing for the last queue.
std::optional<Duration> limit_of(const Options& options, std::size_t queue) {
    if (options.order == "las") return options.slice * (queue + 1);
    if (queue < options.limits.size()) return options.limits[queue];
    return std::nullopt;
}

Instant next_demotion(const World& world, const JobState& job) {
    const auto limit = limit_of(world.options, job.queue);
    if (!limit) return kNever;
    const std::int64_t rate = world.options.gpu_seconds ? job.demand->gpus : 1;
    const std::int64_t missing = std::max<std::int64_t>(0, (*limit - job.attained).count());
    return world.now + Duration((missing + rate - 1) / rate);
}

void demote(World& world) {
    for (std::size_t job = 0; job < world.jobs.size(); ++job) {
        JobState& state = world.jobs[job];
        const auto limit = limit_of(world.options, state.queue);
        if (!state.arrived || state.finished || !limit || state.attained < *limit) continue;
        ++state.queue;
        move_to_end(world, job);
    }
}

/// The first submit + k × boost that is later than t.
Instant boost_after(const World& world, Instant t) {
    const Instant first = world.jobs.front().job->submit;
    return first + world.options.boost * ((t - first) / world.options.boost + 1);
}

bool has_boost(const Options& options) {
    return options.order == "mlfq" && options.boost > 0ns;
}

bool boost_is_due(const World& world) {
    const Instant first = world.jobs.front().job->submit;
    return has_boost(world.options) && world.now > first && boost_after(world, world.now - 1ns) == world.now;
}

void boost(World& world) {
    sort_line(world);
    for (const std::size_t job : world.line) {
        world.jobs[job].queue = 0;
        world.jobs[job].attained = 0ns;
    }
}

}  // namespace

bool is_preemptive(const Options& options) {
    return options.order == "srtf" || options.order == "srsf" || options.order == "rr" || has_queues(options) ||
           (options.order == "smallest" && options.preempt);
}

Instant next_timer(const World& world) {
    Instant next = kNever;
    for (const JobState& job : world.jobs) {
        if (!job.running) continue;
        if (world.options.order == "rr" && somebody_waits(world)) next = std::min(next, next_slice_end(world, job));
        if (has_queues(world.options)) next = std::min(next, next_demotion(world, job));
    }
    if (has_boost(world.options) && !world.line.empty()) next = std::min(next, boost_after(world, world.now));
    return next;
}

void meet_timers(World& world) {
    if (world.options.order == "rr") end_slices(world);
    if (boost_is_due(world)) boost(world);
    if (has_queues(world.options)) demote(world);
}

void sort_line(World& world) {
    std::stable_sort(world.line.begin(), world.line.end(), [&](std::size_t a, std::size_t b) {
        return sort_key(world, world.jobs[a]) < sort_key(world, world.jobs[b]);
    });
}

std::vector<Choice> choose_running(const World& world) {
    std::vector<Choice> chosen;
    Room walk = available(world.cluster);
    for (auto job = world.line.begin(); job != world.line.end(); ++job) {
        const JobState& state = world.jobs[*job];
        std::optional<Place> place;
        if (state.running && holds(walk, state.place)) place = state.place;
        if (!place) {
            Room undisturbed = walk;
            for (auto other = job + 1; other != world.line.end(); ++other)
                if (world.jobs[*other].running) undisturbed = without(undisturbed, world.jobs[*other].place);
            place = find_place(world.cluster, undisturbed, *state.demand);
        }
        if (!place) place = find_place(world.cluster, walk, *state.demand);
        if (!place) continue;
        chosen.push_back({*job, *place});
        walk = without(walk, *place);
    }
    return chosen;
}

void settle_line(World& world) {
    if (!has_queues(world.options)) return;
    std::stable_sort(world.line.begin(), world.line.end(), [&](std::size_t a, std::size_t b) {
        const JobState& first = world.jobs[a];
        const JobState& second = world.jobs[b];
        return first.queue != second.queue ? first.queue < second.queue : first.running && !second.running;
    });
}

}  // namespace sy::naive
