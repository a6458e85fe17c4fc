// Twins for tests of bounds and proofs: they try every plan. Not part of the product.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/plan/fleet.h"
#include "core/plan/problem.h"

namespace sy::plan::testing {

/// All plans of a batch: every order that respects needs and every place, each job as early as it can be behind what is
/// there. Two jobs next to each other that share no GPU and no need are tried in one order only, since both give the
/// same plan. Plans that last as long as the shortest one known are left as soon as they do.
class BruteForce {
public:
    explicit BruteForce(const Problem& problem, Duration known = Duration::max())
        : problem_(problem), end_(problem.jobs().size()), best_(later(kStart, known)) {
        extend(Fleet(problem, true), kStart, nullptr, 0);
    }
    /// The shortest, or what was known before where none is shorter.
    Duration best() const { return best_ - kStart; }

private:
    void extend(const Fleet& fleet, Instant last, const PlannedJob* before, std::size_t done) {
        if (done == end_.size()) best_ = std::min(best_, last);
        for (JobIndex job = 0; job < end_.size(); ++job) {
            if (end_[job] || !needs_are_planned(job)) continue;
            Instant ready = kStart;
            problem_.jobs().for_each_need(job, [&](JobIndex need) { ready = std::max(ready, *end_[need]); });
            for (const GpuSpan& span : problem_.spans(problem_.jobs().model(job))) {
                const auto offer = fleet.offer(job, span, ready);
                if (!offer || offer->end >= best_ || (before != nullptr && came_up_before(*before, *offer))) continue;
                Fleet next = fleet;
                next.take(*offer);
                end_[job] = offer->end;
                extend(next, std::max(last, offer->end), &*offer, done + 1);
                end_[job].reset();
            }
        }
    }
    bool needs_are_planned(JobIndex job) const {
        bool all = true;
        problem_.jobs().for_each_need(job, [&](JobIndex need) { all = all && end_[need]; });
        return all;
    }
    bool came_up_before(const PlannedJob& first, const PlannedJob& second) const {
        bool tied = first.gpus.first < second.gpus.end() && second.gpus.first < first.gpus.end();
        problem_.jobs().for_each_need(second.job, [&](JobIndex need) { tied = tied || need == first.job; });
        return !tied && second.job < first.job;
    }

    const Problem& problem_;
    std::vector<std::optional<Instant>> end_;
    Instant best_;
};

}  // namespace sy::plan::testing
