// When to plan anew, and how. A pass of dispatch over what is left costs half a microsecond a job, so it is not done
// again before a share of what is left has ended since: then all of them together cost a few passes over the batch.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/execute/conductor.h"
#include "core/plan/dispatch.h"

namespace sy::execute {

namespace {

/// A new plan once in so many parts of what is left, and more often when little is: there is no time to make up later.
constexpr std::size_t kParts = 5;
constexpr std::size_t kPartsOfLittle = 20;
constexpr std::size_t kLittle = 2'000;
/// Other weights that are tried each time; one where much is left.
constexpr int kRivalsOfLittle = 3;
/// Of its expected time, that a job which has run longer is expected to go on for.
constexpr int kOverdueShare = 4;

}  // namespace

void Conductor::adopt(const std::vector<PlannedJob>& plan) {
    stints_.clear();
    for (JobNow& job : jobs_) {
        job.stint = kNoStint;
        job.rank = kNever;
    }
    planned_end_ = now_;
    for (const PlannedJob& planned : plan) {
        JobNow& own = jobs_[planned.job];
        own.stint = stints_.append(planned);
        own.rank = planned.start;
        planned_end_ = std::max(planned_end_, planned.end);
    }
    for (std::uint32_t gpu = 0; gpu < seats_.size(); ++gpu) {
        is_asleep_[gpu] = false;
        const StintId head = stints_.head(GpuId(gpu));
        if (head != kNoStint && seats_.holds(stints_.at(head).gpus, stints_.at(head).model)) stints_.begin(head);
        wake(GpuId(gpu));
    }
    for (const PlannedJob& planned : plan)
        if (stand(planned.job) == Stand::ready) enter_lines(planned.job);
    ahead_of_plan_ = 0;
    ended_since_plan_ = 0;
    must_replan_ = false;
    wants_to_replan_ = false;
}

void Conductor::replan_where_needed() {
    if (left() == 0 || only_looks_ahead_) return;
    const bool stuck = count(Stand::ordered) + count(Stand::running) + loads_under_way_ == 0;
    const bool wanted = (wants_to_replan_ || has_drifted()) && is_allowed_to_replan();
    if (!stuck && !must_replan_ && !wanted) return;
    replan();
    consider_all();
}

bool Conductor::is_allowed_to_replan() const {
    return ended_since_plan_ * (left() > kLittle ? kParts : kPartsOfLittle) >= left();
}

bool Conductor::has_drifted() const {
    const double time_left = static_cast<double>((planned_end_ - now_).count()) - ahead_of_plan_;
    return std::abs(ahead_of_plan_) > settings_.replan_above * std::max(time_left, 0.0);
}

/// Keeps to the plan in force where no other promises to end sooner.
void Conductor::replan() {
    const plan::Situation present = situation();
    const auto promise = [&](const std::vector<PlannedJob>& plan) {
        Outlook sight{present.rest.size() - plan.size(), now_};
        for (const PlannedJob& job : plan) sight.end = std::max(sight.end, job.end);
        for (const plan::Underway& busy : present.underway) sight.end = std::max(sight.end, busy.end);
        return sight;
    };
    auto plan = plan::dispatch(problem_, levels_, best_weights_, present);
    for (int n = left() > kLittle ? 1 : kRivalsOfLittle; n > 0; --n) {
        const plan::DispatchWeights other = tuning_.next();
        auto rival = plan::dispatch(problem_, levels_, other, present);
        if (promise(plan) <= promise(rival)) continue;
        plan = std::move(rival);
        best_weights_ = other;
        tuning_.keep(other);
    }
    ++replans_;
    if (outlook() <= promise(plan)) {
        ended_since_plan_ = 0;
        must_replan_ = false;
        wants_to_replan_ = false;
        return;
    }
    adopt(plan);
}

plan::Situation Conductor::situation() const {
    plan::Situation present;
    present.now = now_;
    present.pace = pace_.by_model();
    present.rest.reserve(left());
    for (JobIndex job = 0; job < jobs_.size(); ++job)
        if (stand(job) == Stand::waiting || stand(job) == Stand::ready) present.rest.push_back(job);
    for (std::uint32_t n = 0; n < seats_.size(); ++n) {
        const Seat& seat = seats_.at(GpuId(n));
        present.gpus.push_back({seat.away, seat.model, seat.group});
        Instant end = now_;
        if (seat.loading && seat.group.first == GpuId(n)) {
            end = std::max(end, seat.loaded_by);
            present.underway.push_back({plan::Underway::kLoad, seat.group, end});
        }
        for (const JobIndex job : seat.given) {
            if (jobs_[job].gpus.first != GpuId(n)) continue;
            end = std::max(end, expected_end(job));
            present.underway.push_back({job, jobs_[job].gpus, end});
        }
    }
    return present;
}

Duration Conductor::expected_time(JobIndex job, const GpuSpan& span) const {
    const Duration planned = std::max(Duration::zero(), problem_.time(job, span));
    return Duration(std::llround(static_cast<double>(planned.count()) * pace_.of(problem_.jobs().model(job))));
}

/// Of one that is ordered or runs.
Instant Conductor::expected_end(JobIndex job) const {
    const JobNow& own = jobs_[job];
    return std::max(own.ends_by, now_ + expected_time(job, own.gpus) / kOverdueShare);
}

}  // namespace sy::execute
