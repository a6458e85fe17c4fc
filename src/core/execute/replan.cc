// When to plan anew, and how. A pass of dispatch over what is left costs half a microsecond a job, so it is not done
// again before a share of what is left has ended since: then all of them together cost a few passes over the batch.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/execute/conductor.h"
#include "core/plan/dispatch.h"

namespace sy::execute {

namespace {

/// A new plan once in so many parts of what is left.
constexpr std::size_t kPlansOfTheRest = 10;
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
    for (std::uint32_t gpu = 0; gpu < floor_.size(); ++gpu) {
        is_asleep_[gpu] = false;
        const StintId head = stints_.head(GpuId(gpu));
        if (head != kNoStint && floor_.holds(stints_.at(head).gpus, stints_.at(head).model))
            stints_.at(head).begun = true;
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
    if (left() == 0) return;
    const bool stuck = count(Stand::ordered) + count(Stand::running) + under_way_ == 0;
    const bool wanted = (wants_to_replan_ || has_drifted()) && is_allowed_to_replan();
    if (!stuck && !must_replan_ && !wanted) return;
    replan();
    consider_all();
}

bool Conductor::is_allowed_to_replan() const {
    return ended_since_plan_ * kPlansOfTheRest >= left();
}

bool Conductor::has_drifted() const {
    const double time_left = static_cast<double>((planned_end_ - now_).count()) - ahead_of_plan_;
    return std::abs(ahead_of_plan_) > settings_.replan_above * std::max(time_left, 0.0);
}

bool Conductor::replan() {
    const plan::Situation present = situation();
    const plan::DispatchWeights other = tuning_.next();
    auto plan = plan::dispatch(problem_, levels_, best_weights_, present);
    auto rival = plan::dispatch(problem_, levels_, other, present);
    const auto end = [](const std::vector<PlannedJob>& jobs) {
        Instant last = kStart;
        for (const PlannedJob& job : jobs) last = std::max(last, job.end);
        return last;
    };
    if (std::pair(plan.size(), end(rival)) < std::pair(rival.size(), end(plan))) {
        plan = std::move(rival);
        best_weights_ = other;
        tuning_.keep(other);
    }
    ++replans_;
    adopt(plan);
    return true;
}

plan::Situation Conductor::situation() const {
    plan::Situation present;
    present.now = now_;
    present.pace = pace_.by_model();
    present.rest.reserve(left());
    for (JobIndex job = 0; job < jobs_.size(); ++job)
        if (stand(job) == Stand::waiting || stand(job) == Stand::ready) present.rest.push_back(job);
    for (std::uint32_t n = 0; n < floor_.size(); ++n) {
        const Seat& seat = floor_.at(GpuId(n));
        present.gpus.push_back({seat.away, seat.model, seat.group});
        Instant end = now_;
        if (seat.loading && seat.group.first == GpuId(n)) {
            end = std::max(end, seat.loaded_by);
            present.underway.push_back({plan::Underway::kLoad, seat.group, end});
        }
        for (const JobIndex job : seat.given) {
            if (jobs_[job].gpus.first != GpuId(n)) continue;
            end = expected_end_of(job, end);
            present.underway.push_back({job, jobs_[job].gpus, end});
        }
    }
    return present;
}

Instant Conductor::expected_end_of(JobIndex job, Instant from) const {
    const JobNow& own = jobs_[job];
    const double lasts =
        static_cast<double>(problem_.time(job, own.gpus).count()) * pace_.of(problem_.jobs().model(job));
    const Duration expected(std::max<std::int64_t>(0, std::llround(lasts)));
    if (own.stand == Stand::ordered) return from + expected;
    return std::max(own.since + expected, from + expected / kOverdueShare);
}

}  // namespace sy::execute
