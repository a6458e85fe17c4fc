#include "core/execute/conductor.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "core/plan/dispatch.h"

namespace sy::execute {

namespace {

bool is_final(Stand stand) {
    return stand == Stand::done || stand == Stand::failed || stand == Stand::skipped;
}

}  // namespace

Conductor::Conductor(const plan::Problem& problem, const std::vector<PlannedJob>& plan, Settings settings)
    : problem_(problem),
      settings_(settings),
      levels_(plan::bottom_levels(problem.jobs())),
      jobs_(problem.jobs().size()),
      seats_(problem),
      stints_(problem),
      pace_(problem.batch().models.size()),
      tuning_(problem.batch().kinds.size() > 1, 1),
      is_awake_(problem.batch().gpus.size()),
      is_asleep_(problem.batch().gpus.size()) {
    SY_CHECK(settings_.tries > 0, "a job needs at least one try");
    counts_[static_cast<std::size_t>(Stand::waiting)] = jobs_.size();
    for (JobIndex job = 0; job < jobs_.size(); ++job) {
        jobs_[job].open = static_cast<std::uint32_t>(problem.jobs().need_count(job));
        if (jobs_[job].open == 0) set_stand(job, Stand::ready);
    }
    adopt(plan);
}

void Conductor::set_stand(JobIndex job, Stand stand) {
    if (jobs_[job].stand == Stand::ready && jobs_[job].stint != kNoStint)
        --stints_.pool(stints_.at(jobs_[job].stint).pool).jobs_ready;
    --counts_[static_cast<std::size_t>(jobs_[job].stand)];
    jobs_[job].stand = stand;
    ++counts_[static_cast<std::size_t>(stand)];
    has_news_ = true;
}

bool Conductor::is_with_gpus(JobIndex job) const {
    return stand(job) == Stand::ordered || stand(job) == Stand::running;
}

/// A job that nobody has been given any more.
void Conductor::leave_gpus(JobIndex job) {
    JobNow& own = jobs_[job];
    seats_.take_away(job, own.gpus);
    wake(own.gpus);
    own.since = kStart;
}

void Conductor::done_before(JobIndex job) {
    SY_CHECK(!has_begun_, "job {} cannot have ended before: the run has begun", job);
    if (is_final(stand(job))) return;
    if (jobs_[job].stint != kNoStint) --stints_.at(jobs_[job].stint).left;
    set_stand(job, Stand::done);
    problem_.jobs().for_each_successor(job, [this](JobIndex next) {
        if (--jobs_[next].open == 0 && stand(next) == Stand::waiting) make_ready(next);
    });
}

void Conductor::started(JobIndex job, const GpuSpan& where, Instant now) {
    now_ = now;
    JobNow& own = jobs_[job];
    if (is_final(own.stand)) return;
    if (!is_with_gpus(job) && own.stint != kNoStint) --stints_.at(own.stint).left;
    if (is_with_gpus(job) && own.gpus != where) leave_gpus(job);
    if (!is_with_gpus(job) || own.gpus != where) seats_.give(job, where);
    seats_.settle(where, problem_.jobs().model(job));
    own.gpus = where;
    own.since = now;
    own.ends_by = now + expected_time(job, where);
    set_stand(job, Stand::running);
    if (own.rank == kNever) return;
    const double weight = 1.0 / static_cast<double>(2 * seats_.size());
    ahead_of_plan_ += weight * (static_cast<double>((own.rank - now).count()) - ahead_of_plan_);
    wake(where);
}

void Conductor::ended(JobIndex job, Instant now) {
    now_ = now;
    JobNow& own = jobs_[job];
    if (is_final(own.stand)) return;
    if (own.stand == Stand::running)
        pace_.learn(problem_.jobs().model(job), problem_.time(job, own.gpus), now - own.since);
    if (is_with_gpus(job))
        leave_gpus(job);
    else if (own.stint != kNoStint)
        --stints_.at(own.stint).left;
    set_stand(job, Stand::done);
    ++ended_since_plan_;
    problem_.jobs().for_each_successor(job, [this](JobIndex next) {
        if (--jobs_[next].open == 0 && stand(next) == Stand::waiting) make_ready(next);
    });
}

bool Conductor::failed(JobIndex job, Instant now) {
    now_ = now;
    if (is_final(stand(job))) return false;
    if (++jobs_[job].failures >= settings_.tries) {
        drop(job, Stand::failed);
        return false;
    }
    taken_back(job, now);
    return true;
}

void Conductor::skip(JobIndex job, Instant now) {
    now_ = now;
    if (!is_final(stand(job))) drop(job, Stand::skipped);
}

void Conductor::taken_back(JobIndex job, Instant now) {
    now_ = now;
    if (!is_with_gpus(job)) return;
    leave_gpus(job);
    if (jobs_[job].stint != kNoStint) ++stints_.at(jobs_[job].stint).left;
    make_ready(job);
}

/// For good, and whoever needs it.
void Conductor::drop(JobIndex job, Stand how) {
    std::vector<JobIndex> dropped{job};
    drop_one(job, how);
    for (std::size_t n = 0; n < dropped.size(); ++n)
        problem_.jobs().for_each_successor(dropped[n], [&](JobIndex next) {
            if (is_final(stand(next))) return;
            drop_one(next, Stand::skipped);
            dropped.push_back(next);
        });
}

void Conductor::drop_one(JobIndex job, Stand how) {
    if (is_with_gpus(job)) {
        leave_gpus(job);
    } else if (jobs_[job].stint != kNoStint) {
        Stint& stint = stints_.at(jobs_[job].stint);
        --stint.left;
        wake(stint.gpus);
    }
    set_stand(job, how);
    ++ended_since_plan_;
}

void Conductor::make_ready(JobIndex job) {
    set_stand(job, Stand::ready);
    enter_lines(job);
}

void Conductor::enter_lines(JobIndex job) {
    const JobNow& own = jobs_[job];
    if (own.stint == kNoStint) {
        must_replan_ = true;
        return;
    }
    Stint& stint = stints_.at(own.stint);
    stint.ready.push(own.rank, job);
    Pool& pool = stints_.pool(stint.pool);
    pool.ready.push(own.rank, job);
    ++pool.jobs_ready;
    if (stint.over && pool.stints == 0) wants_to_replan_ = true;
    if (!stint.over) wake(stint.gpus);
    for (const GpuId gpu : pool.sleepers) wake(gpu);
    pool.sleepers.clear();
}

void Conductor::wake(GpuId gpu) {
    has_news_ = true;
    if (is_awake_[gpu.value()]) return;
    is_awake_[gpu.value()] = true;
    is_asleep_[gpu.value()] = false;
    awake_.push_back(gpu);
}

void Conductor::wake(const GpuSpan& span) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) wake(gpu);
}

void Conductor::loaded(ModelId model, const GpuSpan& where, Instant now) {
    now_ = now;
    for (GpuId gpu = where.first; gpu < where.end(); gpu = gpu.next())
        if (std::exchange(seats_.at(gpu).loading, false) && gpu == where.first) --loads_under_way_;
    seats_.settle(where, model);
    wake(where);
}

void Conductor::load_failed(ModelId model, const GpuSpan& where, Instant now) {
    now_ = now;
    for (GpuId gpu = where.first; gpu < where.end(); gpu = gpu.next()) {
        if (std::exchange(seats_.at(gpu).loading, false) && gpu == where.first) --loads_under_way_;
        seats_.at(gpu).model.reset();
        const StintId head = stints_.head(gpu);
        if (head != kNoStint && stints_.at(head).model == model) stints_.at(head).failed_to_load = true;
    }
    wake(where);
}

void Conductor::gpu_lost(GpuId gpu, Instant now) {
    now_ = now;
    Seat& seat = seats_.at(gpu);
    if (seat.loading) {
        const GpuSpan span = seat.group;
        for (GpuId member = span.first; member < span.end(); member = member.next()) {
            seats_.at(member).loading = false;
            seats_.at(member).model.reset();
        }
        --loads_under_way_;
        wake(span);
    }
    seat.away = true;
    has_news_ = true;
    seat.model.reset();
    must_replan_ = true;
}

void Conductor::gpu_back(GpuId gpu, Instant now) {
    now_ = now;
    seats_.at(gpu).away = false;
    seats_.at(gpu).model.reset();
    must_replan_ = true;
    wake(gpu);
}

void Conductor::holds(GpuId gpu, std::optional<ModelId> model) {
    seats_.at(gpu).model = model;
    seats_.at(gpu).group = {gpu, 1};
    wake(gpu);
}

bool Conductor::is_over() const {
    return left() + count(Stand::ordered) + count(Stand::running) == 0;
}

Progress Conductor::progress(Instant now) const {
    Progress progress;
    progress.done = count(Stand::done);
    progress.running = count(Stand::running) + count(Stand::ordered);
    progress.ready = count(Stand::ready);
    progress.waiting = count(Stand::waiting);
    progress.failed = count(Stand::failed);
    progress.skipped = count(Stand::skipped);
    progress.switches = switches_;
    progress.steals = steals_;
    progress.replans = replans_;
    progress.expected_end = std::max(now, planned_end_ - (plan_clock() - now_));
    return progress;
}

std::optional<Conductor::Change> Conductor::next_change(GpuId gpu) const {
    const Stint* next = stints_.next_other(gpu, seats_.at(gpu).model);
    if (next == nullptr) return std::nullopt;
    return Change{next->model, next->from - (plan_clock() - now_)};
}

}  // namespace sy::execute
