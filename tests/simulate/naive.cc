#include "simulate/naive.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "simulate/naive_fit.h"
#include "simulate/naive_place.h"
#include "simulate/naive_preempt.h"
#include "simulate/naive_world.h"

namespace sy::naive {

namespace {

/// Far more than any trace of a test needs; a run that gets here would not end.
constexpr std::size_t kMostPasses = 1'000'000;

class Simulation {
public:
    Simulation(const Trace& trace, const std::vector<NodeSpec>& nodes, const Options& options) {
        world_.options = options;
        std::erase_if(world_.options.outages,
                      [&](const Outage& outage) { return outage.node.value() >= nodes.size(); });
        world_.cluster = make_cluster(nodes, options.place, options.neighbours);
        for (const Job& job : trace.jobs) {
            JobState state;
            state.job = &job;
            state.demand = &trace.demand_of(job);
            state.expected = job.estimate > 0ns ? job.estimate : job.length;
            state.remaining = job.length;
            world_.jobs.push_back(state);
        }
    }

    std::vector<Outcome> run() {
        std::size_t passes = 0;
        for (Instant next = next_instant(); next != kNever; next = next_instant()) {
            pass(next);
            SY_CHECK(++passes < kMostPasses, "{} passes and no end in sight", passes);
        }
        std::vector<Outcome> outcomes;
        for (const JobState& job : world_.jobs) {
            SY_CHECK(job.finished, "job {} never ran", outcomes.size());
            outcomes.push_back({*job.start, job.end, job.preemptions, job.broken_off});
        }
        return outcomes;
    }

private:
    /// Now once more, where somebody who was just started ends at once.
    Instant next_instant() const {
        Instant next = kNever;
        for (const JobState& job : world_.jobs) {
            if (!job.arrived) next = std::min(next, job.job->submit);
            if (job.running) next = std::min(next, world_.now + job.remaining);
        }
        for (const Outage& outage : world_.options.outages)
            for (const Instant at : {outage.from, outage.until})
                if (at > world_.now && next != kNever) next = std::min(next, at);
        if (next == kNever && !all_finished())
            for (const Outage& outage : world_.options.outages)
                if (outage.until > world_.now) next = std::min(next, outage.until);
        return is_preemptive(world_.options) ? std::min(next, next_timer(world_)) : next;
    }

    void pass(Instant now) {
        bring_up_to(now);
        complete();
        fail_nodes();
        arrive();
        if (is_preemptive(world_.options)) {
            meet_timers(world_);
            sort_line(world_);
            switch_to(choose_running(world_));
            settle_line(world_);
        } else {
            for (const Choice& choice : choose_starts(world_, waiting_by_rank())) start(choice);
        }
        check_room();
    }

    void bring_up_to(Instant now) {
        for (JobState& job : world_.jobs) {
            if (!job.running) continue;
            const Duration ran = now - world_.now;
            job.remaining -= ran;
            job.attained += world_.options.gpu_seconds ? ran * job.demand->gpus : ran;
        }
        world_.now = now;
    }

    void complete() {
        for (std::size_t job = 0; job < world_.jobs.size(); ++job) {
            JobState& state = world_.jobs[job];
            if (!state.running || state.remaining > 0ns) continue;
            state.running = false;
            state.finished = true;
            state.end = world_.now;
            std::erase(world_.line, job);
        }
    }

    bool all_finished() const {
        return std::all_of(world_.jobs.begin(), world_.jobs.end(), [](const JobState& job) { return job.finished; });
    }

    void fail_nodes() {
        world_.cluster.away.clear();
        for (const Outage& outage : world_.options.outages)
            if (outage.from <= world_.now && world_.now < outage.until) world_.cluster.away.insert(outage.node.value());
        for (std::size_t job = 0; job < world_.jobs.size(); ++job) {
            JobState& state = world_.jobs[job];
            const bool hit = std::any_of(state.place.begin(), state.place.end(),
                                         [&](const Part& part) { return world_.cluster.away.contains(part.node); });
            if (!state.running || !hit) continue;
            state.running = false;
            ++state.broken_off;
            state.remaining = state.job->length;
            state.attained = 0ns;
            state.queue = 0;
            if (world_.options.order == "smallest") continue;  // whose equals stand by arrival
            std::erase(world_.line, job);
            world_.line.push_back(job);
        }
    }

    void arrive() {
        for (std::size_t job = 0; job < world_.jobs.size(); ++job) {
            JobState& state = world_.jobs[job];
            if (state.arrived || state.job->submit > world_.now) continue;
            state.arrived = true;
            state.rank = rank_of(job);
            ++world_.cluster.gangs[state.demand->gpus];
            world_.line.push_back(job);
        }
    }

    std::int64_t rank_of(std::size_t number) {
        const JobState& state = world_.jobs[number];
        const Job& job = *state.job;
        const std::string& order = world_.options.order;
        const auto level = static_cast<std::int64_t>(job.level);
        if (order == "sjf") return job.length.count();
        if (order == "smallest") return state.demand->gpus;
        if (order == "edf") return job.deadline.time_since_epoch().count();
        if (order == "priority" && world_.options.aging == 0ns) return level;
        if (order == "priority") return (job.submit + level * world_.options.aging).time_since_epoch().count();
        if (order == "predicted") return world_.options.predicted.at(number);
        if (order == "fair") return fair_tag(state);
        SY_CHECK(order == "fcfs" || is_preemptive(world_.options), "no order is called {}", order);
        return 0;
    }

    /// The start tag of start-time fair queueing, in GPU-microseconds.
    std::int64_t fair_tag(const JobState& state) {
        std::int64_t& finish = user_finish_[state.job->user];
        const std::int64_t tag = std::max(virtual_time_, finish);
        finish = tag + state.expected / 1us * state.demand->gpus;
        return tag;
    }

    std::vector<std::size_t> waiting_by_rank() const {
        std::vector<std::size_t> waiting;
        for (std::size_t job = 0; job < world_.jobs.size(); ++job)
            if (world_.jobs[job].is_waiting()) waiting.push_back(job);
        std::stable_sort(waiting.begin(), waiting.end(),
                         [&](std::size_t a, std::size_t b) { return world_.jobs[a].rank < world_.jobs[b].rank; });
        return waiting;
    }

    void start(const Choice& choice) {
        JobState& state = world_.jobs[choice.job];
        state.running = true;
        state.place = choice.place;
        state.slice_begin = world_.now;
        if (!state.start) state.start = world_.now;
        state.turn_start = world_.now;
        virtual_time_ = std::max(virtual_time_, state.rank);
    }

    /// Who runs and was not chosen is preempted; who was chosen elsewhere is preempted and starts again there.
    void switch_to(const std::vector<Choice>& chosen) {
        for (std::size_t job = 0; job < world_.jobs.size(); ++job) {
            JobState& state = world_.jobs[job];
            const bool stays = std::any_of(chosen.begin(), chosen.end(), [&](const Choice& choice) {
                return choice.job == job && choice.place == state.place;
            });
            if (!state.running || stays) continue;
            state.running = false;
            state.remaining += world_.options.restart_cost;
            ++state.preemptions;
        }
        for (const Choice& choice : chosen)
            if (!world_.jobs[choice.job].running) start(choice);
    }

    /// Whatever was decided, nobody holds what another holds.
    void check_room() const {
        Room room = available(world_.cluster);
        for (std::size_t job = 0; job < world_.jobs.size(); ++job) {
            if (!world_.jobs[job].running) continue;
            SY_CHECK(holds(room, world_.jobs[job].place), "job {} holds what is not free", job);
            room = without(room, world_.jobs[job].place);
        }
    }

    World world_;
    std::int64_t virtual_time_ = 0;  ///< V of fair: the largest rank started so far.
    std::map<NameId, std::int64_t> user_finish_;
};

}  // namespace

std::vector<Outcome> simulate(const Trace& trace, const std::vector<NodeSpec>& nodes, const Options& options) {
    return Simulation(trace, nodes, options).run();
}

}  // namespace sy::naive
