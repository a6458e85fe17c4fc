// Problem: a plan says who does what and when; in reality jobs take longer or shorter, and a GPU that keeps to its own
// list waits beside others that are behind.
//
// Choice: a GPU keeps to the plan's sequence of models, since that is where switches are saved, but not to its own
// jobs. Holders of a model on GPUs of the same kinds share what is ready: whoever is free takes the job that is most
// behind, or else its own next. So nobody is behind alone, and with times as planned everyone takes its own. What is
// behind is judged by the plan's clock, which stands where the jobs that start now were planned to. A GPU leaves for
// its next model when its own jobs here are given out and nothing is ready that was planned for before it was to leave.
// If what comes next is not ready it is loaded ahead.
//
// Cost: O(log n) for a job. Free GPUs without work sleep, and are woken by what could be work for them.
#include <algorithm>
#include <utility>

#include "core/execute/conductor.h"

namespace sy::execute {

namespace {

/// Ready jobs for each other who holds their model, above which some are handed out ahead.
constexpr std::uint32_t kPlenty = 2;
/// As many times what is expected.
constexpr int kMuchLonger = 4;

}  // namespace

std::vector<Order> Conductor::decide(Instant now) {
    now_ = now;
    if (!std::exchange(has_begun_, true))
        for (std::uint32_t gpu = 0; gpu < seats_.size(); ++gpu) wake(GpuId(gpu));
    if (std::exchange(has_news_, false)) {
        consider_all();
        replan_where_needed();
        has_news_ = false;
    }
    return std::exchange(orders_, {});
}

void Conductor::consider_all() {
    while (!awake_.empty()) {
        std::vector<GpuId> now_awake = std::exchange(awake_, {});
        std::sort(now_awake.begin(), now_awake.end());
        // First those with work of their own, so that nobody takes it from them while they are free.
        std::stable_partition(now_awake.begin(), now_awake.end(), [this](GpuId gpu) { return has_own_work(gpu); });
        for (const GpuId gpu : now_awake) is_awake_[gpu.value()] = false;
        for (const GpuId gpu : now_awake) consider(gpu);
    }
}

bool Conductor::has_own_work(GpuId gpu) {
    const StintId head = stints_.head(gpu);
    return head != kNoStint && stints_.at(head).begun && first_of(stints_.at(head).ready).has_value();
}

/// Gives the GPU what it can be given. Every turn gives something out, ends a stint or comes to an end.
void Conductor::consider(GpuId gpu) {
    while (!seats_.at(gpu).away) {
        const StintId head = stints_.head(gpu);
        if (head == kNoStint) {
            if (linger(gpu, kNever)) continue;
            if (seats_.is_free(gpu)) wants_to_replan_ = true;
            return sleep(gpu);
        }
        if (stints_.at(head).begun ? go_on(stints_.at(head)) : begin(head, gpu)) continue;
        if (stints_.at(head).left > 0 || !seats_.is_free(stints_.at(head).gpus)) return sleep(gpu);
        end_stint(head);
    }
}

/// The stint's place takes another job. False where it cannot.
bool Conductor::go_on(Stint& stint) {
    const Seat& lead = seats_.at(stint.gpus.first);
    if (lead.loading) return false;
    if (!lead.given.empty() && !can_hand_ahead(stint)) return false;
    for (GpuId gpu = stint.gpus.first; gpu < stint.gpus.end(); gpu = gpu.next())
        if (seats_.at(gpu).away || seats_.at(gpu).given != lead.given) return false;
    const auto job = pick(stint, leaves_at(stint.gpus));
    if (!job || (!lead.given.empty() && !can_wait(*job, lead.given.back()))) return false;
    give(*job, stint.gpus);
    return true;
}

/// Only where there is work for all who hold the model, so that nobody waits behind another without need.
bool Conductor::can_hand_ahead(const Stint& stint) const {
    const Seat& lead = seats_.at(stint.gpus.first);
    const Pool& pool = stints_.pool(stint.pool);
    return lead.given.size() <= settings_.ahead && pool.jobs_ready > kPlenty * (pool.begun - 1) &&
           seats_.holds(stint.gpus, stint.model);
}

/// Whether the end of all is far enough off for a job to stand behind one that may take much longer than expected.
bool Conductor::can_wait(JobIndex job, JobIndex behind) const {
    const Duration wait = expected_time(behind, jobs_[behind].gpus);
    return now_ + kMuchLonger * (wait + levels_[job]) < planned_end_;
}

std::optional<Line::Entry> Conductor::first_of(Line& line) const {
    return line.first([this](const Line::Entry& entry) {
        return jobs_[entry.job].stand == Stand::ready && jobs_[entry.job].rank == entry.rank;
    });
}

/// Its own next job, unless another of the pool is behind and was planned for before it.
std::optional<JobIndex> Conductor::pick(Stint& stint, Instant until) {
    const auto own = first_of(stint.ready);
    const auto other = first_of(stints_.pool(stint.pool).ready);
    if (!own) return other && other->rank < until ? std::optional(other->job) : std::nullopt;
    return other->rank < std::min(own->rank, plan_clock()) ? other->job : own->job;
}

/// When the plan has them do something else.
Instant Conductor::leaves_at(const GpuSpan& span) {
    Instant first = kNever;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) first = std::min(first, stints_.next_from(gpu));
    return first;
}

/// The GPU's next stint, not begun. True where something was done that asks for another look.
bool Conductor::begin(StintId id, GpuId gpu) {
    Stint& stint = stints_.at(id);
    if (stint.left == 0 && seats_.is_free(gpu)) {
        end_stint(id);
        return true;
    }
    if (!seats_.is_free(gpu)) return false;
    if (linger(gpu, stint.from)) return true;
    if (!seats_.is_free(stint.gpus)) return false;
    for (GpuId member = stint.gpus.first; member < stint.gpus.end(); member = member.next())
        if (stints_.head(member) != id) {
            const StintId other = stints_.head(member);
            if (other != kNoStint && stints_.at(other).left == 0) wake(member);
            return false;
        }
    stints_.begin(id);
    if (first_of(stint.ready)) return true;
    load(stint);
    return false;
}

/// A free GPU without a stint of its own, or before it: something of what it holds that was planned for before then.
bool Conductor::linger(GpuId gpu, Instant until) {
    const Seat& seat = seats_.at(gpu);
    if (!seat.model || !seats_.is_free(gpu)) return false;
    const GpuSpan place = seat.group;
    if (place.count != problem_.batch().models[seat.model->value()].gpus) return false;
    if (!seats_.holds(place, *seat.model) || !seats_.is_free(place)) return false;
    const auto job = first_of(stints_.pool(stints_.pool_of(*seat.model, place)).ready);
    if (!job || job->rank >= until) return false;
    give(job->job, place);
    return true;
}

void Conductor::sleep(GpuId gpu) {
    const Seat& seat = seats_.at(gpu);
    if (!seats_.is_free(gpu) || !seat.model || is_asleep_[gpu.value()]) return;
    is_asleep_[gpu.value()] = true;
    stints_.pool(stints_.pool_of(*seat.model, seat.group)).sleepers.push_back(gpu);
}

void Conductor::end_stint(StintId id) {
    stints_.end(id);
    wake(stints_.at(id).gpus);
}

void Conductor::give(JobIndex job, const GpuSpan& span) {
    JobNow& own = jobs_[job];
    Stint& planned = stints_.at(own.stint);
    --planned.left;
    if (planned.gpus != span) {
        ++steals_;
        if (planned.left == 0) wake(planned.gpus);
    }
    own.gpus = span;
    own.ends_by = now_;
    for (const JobIndex before : seats_.at(span.first).given) own.ends_by = std::max(own.ends_by, expected_end(before));
    own.ends_by += seats_.switch_time(span, planned.model) + expected_time(job, span);
    set_stand(job, Stand::ordered);
    seats_.give(job, span);
    switches_ += seats_.settle(span, problem_.jobs().model(job));
    orders_.emplace_back(Start{job, span, comes_after(job, span)});
}

/// The model that a GPU changes to after the job, if no more of its own are planned before that.
std::optional<ModelId> Conductor::comes_after(JobIndex job, const GpuSpan& span) {
    const StintId head = stints_.head(span.first);
    if (span.count > 1 || head == kNoStint) return std::nullopt;
    const Stint* following = stints_.at(head).left > 0 ? &stints_.at(head) : stints_.next(span.first);
    if (following == nullptr || following->gpus != span) return std::nullopt;
    const bool changes = following->model != problem_.jobs().model(job);
    return changes ? std::optional(following->model) : std::nullopt;
}

void Conductor::load(Stint& stint) {
    if (stint.failed_to_load || seats_.holds(stint.gpus, stint.model)) return;
    const Instant by = now_ + seats_.switch_time(stint.gpus, stint.model);
    switches_ += seats_.settle(stint.gpus, stint.model);
    for (GpuId gpu = stint.gpus.first; gpu < stint.gpus.end(); gpu = gpu.next()) {
        seats_.at(gpu).loading = true;
        seats_.at(gpu).loaded_by = by;
    }
    ++loads_under_way_;
    orders_.emplace_back(Load{stint.model, stint.gpus});
}

}  // namespace sy::execute
