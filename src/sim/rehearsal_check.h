// Checks a rehearsal by looking at everything that happened, one rule after the other. For tests; it shares no code
// with the Conductor or the world around it.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "core/plan/testing.h"
#include "sim/rehearsal.h"

namespace sy::sim::testing {

class Checker {
public:
    Checker(const Batch& batch, const Rehearsal& course, const Conditions& conditions, std::uint32_t tries)
        : batch_(batch), course_(course), conditions_(conditions), tries_(tries) {
        for (const Request& request : batch.requests) {
            const Workflow& workflow = batch.workflows[request.workflow];
            const auto first = static_cast<JobIndex>(steps_.size());
            for (const Step& step : workflow.steps) {
                steps_.push_back(&step);
                scales_.push_back(request.scale);
                needs_.emplace_back();
                for (const std::uint32_t need : step.needs) needs_.back().push_back(first + need);
            }
        }
    }

    /// What is wrong, or nothing.
    std::string complaint() {
        check_gpus();
        check_jobs();
        check_listed();
        return complaint_;
    }

private:
    using Outcome = Activity::Outcome;
    /// What a GPU holds, and together with whom.
    struct Held {
        bool anything = false;
        ModelId model;
        GpuSpan group;

        friend bool operator==(const Held&, const Held&) = default;
    };

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = what;
    }

    /// Neighbours on one node that hold the same at time 0 hold it together, as many as it needs.
    std::vector<Held> held_at_first() const {
        std::vector<Held> held(batch_.gpus.size());
        for (std::uint32_t i = 0; i < held.size(); ++i) {
            const auto model = batch_.gpus[i].holds;
            if (!model || held[i].anything) continue;
            std::uint32_t end = i;
            while (end < held.size() && end < i + batch_.models[model->value()].gpus &&
                   batch_.gpus[end].holds == model && batch_.gpus[end].node == batch_.gpus[i].node)
                ++end;
            for (std::uint32_t n = i; n < end; ++n) held[n] = {true, *model, {GpuId(i), end - i}};
        }
        return held;
    }

    void check_gpus() {
        const auto at_first = held_at_first();
        for (std::uint32_t n = 0; n < batch_.gpus.size(); ++n) {
            std::vector<Activity> own;
            for (const Activity& activity : course_.activities)
                if (activity.gpus.contains(GpuId(n))) own.push_back(activity);
            std::stable_sort(own.begin(), own.end(), [](const Activity& a, const Activity& b) {
                return std::tie(a.start, a.end) < std::tie(b.start, b.end);
            });
            check_gpu(GpuId(n), own, at_first[n]);
        }
    }

    void check_gpu(GpuId gpu, const std::vector<Activity>& own, Held held) {
        Instant free = kStart;
        for (const Activity& activity : own) {
            if (activity.start < free) complain(fmt::format("gpu {} does two things at once", gpu.value()));
            for (const GpuAbsence& absence : conditions_.absences) {
                if (absence.gpu != gpu) continue;
                if (activity.start < absence.until && absence.from < activity.end)
                    complain(fmt::format("gpu {} works while it is away", gpu.value()));
                if (free <= absence.from && absence.from <= activity.start && absence.until <= activity.start)
                    held = {};
            }
            const Held wanted{true, activity.model, activity.gpus};
            if (activity.job && held != wanted)
                complain(fmt::format("gpu {} runs job {} without its model", gpu.value(), *activity.job));
            if (!activity.job) held = activity.outcome == Outcome::succeeded ? wanted : Held{};
            free = activity.end;
        }
    }

    void check_jobs() {
        std::vector<std::vector<Activity>> attempts(steps_.size());
        for (const Activity& activity : course_.activities)
            if (activity.job) attempts[*activity.job].push_back(activity);
        std::vector<Instant> done(steps_.size(), kNever);
        std::vector<bool> failed(steps_.size());
        std::size_t left = 0;
        for (JobIndex job = 0; job < steps_.size(); ++job) {  // needs stand before what needs them
            std::uint32_t failures = 0;
            bool need_failed = false;
            Instant ready = kStart;
            for (const JobIndex need : needs_[job]) {
                need_failed = need_failed || failed[need];
                ready = std::max(ready, done[need]);
            }
            for (const Activity& attempt : attempts[job]) {
                check_attempt(job, attempt, ready);
                if (done[job] != kNever) complain(fmt::format("job {} runs again after it succeeded", job));
                if (attempt.outcome == Outcome::failed) ++failures;
                if (attempt.outcome == Outcome::succeeded) done[job] = attempt.end;
            }
            if (failures > tries_ || (failures == tries_ && done[job] != kNever))
                complain(fmt::format("job {} has had {} tries", job, failures));
            failed[job] = failures == tries_ || need_failed;
            if (done[job] == kNever && !failed[job]) ++left;
        }
        if (left != course_.progress.waiting + course_.progress.ready)
            complain(fmt::format("{} jobs were not tried to the end", left));
    }

    void check_attempt(JobIndex job, const Activity& attempt, Instant ready) {
        const Step& step = *steps_[job];
        if (attempt.model != step.model) complain(fmt::format("job {} runs on another model", job));
        if (ready > attempt.start) complain(fmt::format("job {} starts before its needs are done", job));
        const auto places = plan::testing::places(batch_, batch_.models[step.model.value()]);
        if (std::find(places.begin(), places.end(), attempt.gpus) == places.end())
            complain(fmt::format("job {} has no room where it runs", job));
        double slowest = 0;
        for (GpuId gpu = attempt.gpus.first; gpu < attempt.gpus.end(); gpu = gpu.next()) {
            const auto seconds = step.seconds[batch_.gpus[gpu.value()].kind.value()];
            if (!seconds) complain(fmt::format("job {} cannot run on gpu {}", job, gpu.value()));
            slowest = std::max(slowest, seconds.value_or(0));
        }
        const double lasts = to_seconds(attempt.end - attempt.start);
        if (conditions_.noise == 0 && attempt.outcome == Outcome::succeeded &&
            std::abs(lasts - slowest * scales_[job]) > 1e-6)
            complain(fmt::format("job {} takes another time than planned", job));
    }

    void check_listed() {
        std::set<std::tuple<JobIndex, GpuId, Instant, Instant>> listed;
        std::set<std::tuple<JobIndex, GpuId, Instant, Instant>> seen;
        for (const PlannedJob& job : course_.jobs) listed.emplace(job.job, job.gpus.first, job.start, job.end);
        for (const Activity& activity : course_.activities)
            if (activity.job && activity.outcome == Outcome::succeeded)
                seen.emplace(*activity.job, activity.gpus.first, activity.start, activity.end);
        if (listed != seen || listed.size() != course_.progress.done) complain("the list of jobs is not what happened");
    }

    const Batch& batch_;
    const Rehearsal& course_;
    const Conditions& conditions_;
    const std::uint32_t tries_;
    std::vector<const Step*> steps_;
    std::vector<double> scales_;
    std::vector<std::vector<JobIndex>> needs_;
    std::string complaint_;
};

inline std::string complaint_about(const Batch& batch, const Rehearsal& course, const Conditions& conditions,
                                   std::uint32_t tries) {
    return Checker(batch, course, conditions, tries).complaint();
}

}  // namespace sy::sim::testing
