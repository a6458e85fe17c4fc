// Problem: the longest GPU alone says nothing about how far the others are from being able to help, so a walk by
// makespan is blind.
//
// Choice: each GPU counts by a high power of its load, which presses hardest on the fullest and still rewards every
// switch saved elsewhere. The more jobs a GPU has, the less one of them changes its load, and the higher the power must
// be to feel it: an exponential then, as steep as there are jobs to a GPU. Moves are drawn where they are likely to
// help: from full GPUs, to GPUs that are quick at the job. The walk is annealed (cooling.h); it reports a new best
// whenever nobody ends after the target, which lies a step below the best so far.
#include "core/plan/levelling.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sy::plan {

namespace {

/// Enough to come to each of a few jobs thousands of times, and not too long where there are many.
std::uint64_t first_cycle(const Jobs& jobs) {
    return std::clamp<std::uint64_t>(4'000 * jobs.size(), 20'000, 200'000);
}
constexpr double kEighth = 8;
/// With so few a new best is copied in no time, so the smallest gain is taken.
constexpr std::size_t kFewJobs = 200;

double as_double(Duration d) {
    return static_cast<double>(d.count());
}

/// What one job takes, with its share of the switches.
double mean_share(const Problem& problem, const Loads& loads) {
    double total = 0;
    for (std::uint32_t gpu = 0; gpu < loads.gpu_count(); ++gpu) total += as_double(loads.load(gpu));
    return total / static_cast<double>(std::max<std::size_t>(problem.jobs().size(), 1));
}

}  // namespace

Levelling::Levelling(const Problem& problem, Loads loads, Duration bound, Duration grain, std::uint64_t seed)
    : problem_(problem),
      now_(loads),
      best_(std::move(loads)),
      bound_(bound),
      grain_(grain),
      random_(seed),
      sharpness_(std::max(kEighth, static_cast<double>(problem.jobs().size()) / static_cast<double>(now_.gpu_count()))),
      cooling_(mean_share(problem, now_), problem.jobs().size(), first_cycle(problem.jobs())) {
    const bool few = problem.jobs().size() <= kFewJobs;
    step_ = few ? grain_ : std::max(grain_, (best_.longest() - bound_) / 50);
    aim();
}

void Levelling::aim() {
    target_ = std::max(bound_, best_.longest() - step_);
    over_ = 0;
    for (std::uint32_t gpu = 0; gpu < now_.gpu_count(); ++gpu)
        if (now_.load(gpu) > target_) ++over_;
}

void Levelling::begin_cycle() {
    if (!improved_) step_ = std::max(grain_, step_ / 2);
    improved_ = false;
    now_ = best_;
    aim();
}

bool Levelling::go(std::uint64_t moves) {
    const Duration before = best_.longest();
    for (; moves > 0; --moves) {
        if (cooling_.step()) begin_cycle();
        most_ = cooling_.most(random_);
        const std::uint64_t kind = random_.below(100);
        if (kind < 45)
            try_shift();
        else if (kind < 85)
            try_swap();
        else if (kind < 94)
            try_reorder();
        else if (kind < 98)
            try_spill();
        else
            try_trade();
    }
    return best_.longest() < before;
}

/// Scaled so that near the target a nanosecond counts as one.
double Levelling::cost(Duration load) const {
    const double target = std::max(as_double(target_), 1.0);
    const double share = as_double(load) / target;
    if (sharpness_ > kEighth) return std::exp(sharpness_ * (share - 1)) * target / sharpness_;
    const double fourth = share * share * share * share;
    return fourth * fourth * target / kEighth;
}

bool Levelling::is_allowed(const Change& c) const {
    double rise = cost(c.load_a) - cost(now_.load(c.gpu_a));
    if (c.gpu_b != c.gpu_a) rise += cost(c.load_b) - cost(now_.load(c.gpu_b));
    return rise <= most_;
}

bool Levelling::accept(const Change& c) {
    if (!is_allowed(c)) return false;
    const auto count = [this](Duration load) { return load > target_ ? 1 : 0; };
    over_ += count(c.load_a) - count(now_.load(c.gpu_a));
    if (c.gpu_b != c.gpu_a) over_ += count(c.load_b) - count(now_.load(c.gpu_b));
    return true;
}

void Levelling::note_progress() {
    if (over_ > 0) return;
    best_ = now_;
    improved_ = true;
    aim();
}

/// More often than not one that is over the target.
std::uint32_t Levelling::full_gpu() {
    std::uint32_t fullest = any_gpu();
    for (int tries = 0; tries < 2; ++tries) {
        const std::uint32_t other = any_gpu();
        if (now_.load(other) > now_.load(fullest)) fullest = other;
    }
    return fullest;
}

/// Of a few, the one that runs the job soonest.
std::uint32_t Levelling::quick_gpu(JobIndex job) {
    std::uint32_t quickest = any_gpu();
    if (problem_.batch().kinds.size() == 1) return quickest;
    for (std::uint64_t tries = random_.below(6); tries > 0; --tries) {
        const std::uint32_t other = any_gpu();
        if (now_.can_run(job, other) &&
            (!now_.can_run(job, quickest) || now_.time(job, other) < now_.time(job, quickest)))
            quickest = other;
    }
    return quickest;
}

std::optional<JobIndex> Levelling::any_job(std::uint32_t gpu) {
    const auto& runs = now_.runs(gpu);
    if (runs.empty()) return std::nullopt;
    const auto& jobs = runs[random_.below(runs.size())].jobs;
    return jobs[random_.below(jobs.size())];
}

/// The load of the job's GPU without it.
Duration Levelling::without(JobIndex job) const {
    const std::uint32_t gpu = now_.gpu_of(job);
    const std::size_t run = now_.run_of(gpu, problem_.jobs().model(job));
    const Duration rest = now_.load(gpu) - now_.time(job, gpu);
    return now_.runs(gpu)[run].jobs.size() > 1 ? rest : rest - now_.saved_without(gpu, run);
}

void Levelling::try_shift() {
    const std::uint32_t from = full_gpu();
    const auto job = any_job(from);
    if (!job) return;
    const std::uint32_t to = quick_gpu(*job);
    if (from == to || !now_.can_run(*job, to)) return;
    Change change{from, to, without(*job), now_.load(to) + now_.time(*job, to)};
    if (!is_allowed(change)) return;  // before looking for a gap, which takes longer than all else
    const ModelId model = problem_.jobs().model(*job);
    if (now_.run_of(to, model) == now_.runs(to).size()) change.load_b += now_.best_gap(to, model).cost;
    if (!accept(change)) return;
    now_.take_out(*job);
    now_.put_in(*job, to);
    note_progress();
}

/// What switching to `in` costs on the GPU of `out` when `out` leaves.
Duration Levelling::gap_instead(JobIndex out, JobIndex in) const {
    const std::uint32_t gpu = now_.gpu_of(out);
    const ModelId model_in = problem_.jobs().model(in);
    const std::size_t run = now_.run_of(gpu, problem_.jobs().model(out));
    const bool run_goes = now_.runs(gpu)[run].jobs.size() == 1;
    const std::size_t joins = now_.run_of(gpu, model_in);
    if (joins < now_.runs(gpu).size() && !(joins == run && run_goes)) return Duration::zero();
    return (run_goes ? now_.best_gap_without(gpu, model_in, run) : now_.best_gap(gpu, model_in)).cost;
}

void Levelling::try_swap() {
    const std::uint32_t gpu_a = full_gpu();
    const auto a = any_job(gpu_a);
    if (!a) return;
    const std::uint32_t gpu_b = quick_gpu(*a);
    if (gpu_a == gpu_b) return;
    const auto b = any_job(gpu_b);
    if (!b || !now_.can_run(*a, gpu_b) || !now_.can_run(*b, gpu_a)) return;
    const Duration without_a = without(*a) + now_.time(*b, gpu_a);
    const Duration without_b = without(*b) + now_.time(*a, gpu_b);
    if (!is_allowed({gpu_a, gpu_b, without_a, without_b})) return;  // likewise
    if (!accept({gpu_a, gpu_b, without_a + gap_instead(*a, *b), without_b + gap_instead(*b, *a)})) return;
    now_.take_out(*a);
    now_.take_out(*b);
    now_.put_in(*a, gpu_b);
    now_.put_in(*b, gpu_a);
    note_progress();
}

void Levelling::try_reorder() {
    const std::uint32_t gpu = full_gpu();
    const auto& runs = now_.runs(gpu);
    if (runs.size() < 2) return;
    const std::size_t run = random_.below(runs.size());
    const auto gap = random_.chance(0.5) ? now_.best_gap_without(gpu, runs[run].model, run)
                                         : now_.gap_without(gpu, runs[run].model, run, random_.below(runs.size() + 1));
    if (gap.position == run || gap.position == run + 1) return;
    const Duration load = now_.load(gpu) - now_.saved_without(gpu, run) + gap.cost;
    if (!accept({gpu, gpu, load, load})) return;
    now_.move_run(gpu, run, gap.position);
    note_progress();
}

/// Part of a run, or all of it, flows over to another GPU.
void Levelling::try_spill() {
    const std::uint32_t from = full_gpu();
    const std::uint32_t to = any_gpu();
    if (from == to || now_.runs(from).empty()) return;
    const std::size_t at = random_.below(now_.runs(from).size());
    const Run& run = now_.runs(from)[at];
    if (run.jobs.size() < 2) return;
    Duration load_to = now_.load(to);
    if (now_.run_of(to, run.model) == now_.runs(to).size()) load_to += now_.best_gap(to, run.model).cost;
    Duration load_from = now_.load(from);
    const bool whole = random_.chance(0.3);
    std::vector<JobIndex> moved;
    for (const JobIndex job : run.jobs) {
        if (!whole && load_to >= load_from) break;
        if (!now_.can_run(job, to)) continue;
        load_from -= now_.time(job, from);
        load_to += now_.time(job, to);
        moved.push_back(job);
    }
    if (moved.size() == run.jobs.size()) load_from -= now_.saved_without(from, at);
    if (moved.empty() || !accept({from, to, load_from, load_to})) return;
    for (const JobIndex job : moved) {
        now_.take_out(job);
        now_.put_in(job, to);
    }
    note_progress();
}

/// Two GPUs exchange a whole run each.
void Levelling::try_trade() {
    const std::uint32_t gpu_a = full_gpu();
    const std::uint32_t gpu_b = any_gpu();
    if (gpu_a == gpu_b || now_.runs(gpu_a).empty() || now_.runs(gpu_b).empty()) return;
    const std::size_t a = random_.below(now_.runs(gpu_a).size());
    const std::size_t b = random_.below(now_.runs(gpu_b).size());
    const Run& run_a = now_.runs(gpu_a)[a];
    const Run& run_b = now_.runs(gpu_b)[b];
    if (run_a.jobs.size() + run_b.jobs.size() < 3) return;  // two single jobs are for try_swap
    const auto load_with = [this](std::uint32_t gpu, std::size_t out, const Run& in) {
        Duration load = now_.load(gpu) - now_.runs(gpu)[out].work - now_.saved_without(gpu, out);
        for (const JobIndex job : in.jobs) {
            if (!now_.can_run(job, gpu)) return Duration::max();
            load += now_.time(job, gpu);
        }
        const std::size_t joins = now_.run_of(gpu, in.model);
        const bool needs_gap = joins == now_.runs(gpu).size() || joins == out;
        return needs_gap ? load + now_.best_gap_without(gpu, in.model, out).cost : load;
    };
    const Change change{gpu_a, gpu_b, load_with(gpu_a, a, run_b), load_with(gpu_b, b, run_a)};
    if (change.load_a == Duration::max() || change.load_b == Duration::max() || !accept(change)) return;
    const std::vector<JobIndex> from_a = run_a.jobs;
    const std::vector<JobIndex> from_b = run_b.jobs;
    for (const JobIndex job : from_a) now_.take_out(job);
    for (const JobIndex job : from_b) now_.take_out(job);
    for (const JobIndex job : from_a) now_.put_in(job, gpu_b);
    for (const JobIndex job : from_b) now_.put_in(job, gpu_a);
    note_progress();
}

}  // namespace sy::plan
