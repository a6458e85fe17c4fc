#include "core/measure/indicators.h"

#include <algorithm>
#include <cmath>

namespace sy::measure {

namespace {

/// What is shorter counts as this long in a slowdown: a one-second job that waits a minute is no scandal.
constexpr double kShortest = 10;

double completion(const Job& job, const Outcome& outcome) {
    return to_seconds(outcome.end - job.submit);
}

double slowdown(const Job& job, const Outcome& outcome) {
    return std::max(1.0, completion(job, outcome) / std::max(kShortest, to_seconds(job.length)));
}

}  // namespace

double jain_index(std::span<const double> values) {
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    return squares > 0 ? sum * sum / (squares * static_cast<double>(values.size())) : 1;
}

double quantile(std::span<const double> sorted, double part) {
    if (sorted.empty()) return 0;
    const double place = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

std::vector<double> sorted_completion_s(const Trace& trace, std::span<const Outcome> outcomes) {
    std::vector<double> times;
    times.reserve(outcomes.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) times.push_back(completion(trace.jobs[i], outcomes[i]));
    std::sort(times.begin(), times.end());
    return times;
}

std::vector<UserShare> user_shares(const Trace& trace, std::span<const Outcome> outcomes) {
    std::vector<UserShare> shares(trace.users.size());
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i].user = trace.users[i];
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const Job& job = trace.jobs[i];
        UserShare& share = shares[job.user.value()];
        ++share.jobs;
        share.gpu_s += to_seconds(job.length) * trace.demand_of(job).gpus;
        share.mean_jct_s += completion(job, outcomes[i]);
        share.mean_slowdown += slowdown(job, outcomes[i]);
    }
    std::erase_if(shares, [](const UserShare& share) { return share.jobs == 0; });
    for (UserShare& share : shares) {
        share.mean_jct_s /= static_cast<double>(share.jobs);
        share.mean_slowdown /= static_cast<double>(share.jobs);
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const UserShare& a, const UserShare& b) { return a.gpu_s > b.gpu_s; });
    return shares;
}

Indicators indicators(const Trace& trace, std::span<const Outcome> outcomes, std::uint64_t gpus) {
    Indicators sum;
    if (outcomes.empty()) return sum;
    double gpu_s = 0;
    Instant last = trace.jobs.front().submit;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const Job& job = trace.jobs[i];
        const Outcome& outcome = outcomes[i];
        const double wait = to_seconds(outcome.start - job.submit);
        sum.mean_wait_s += wait;
        sum.longest_wait_s = std::max(sum.longest_wait_s, wait);
        sum.mean_jct_s += completion(job, outcome);
        sum.mean_pending_s += to_seconds(outcome.end - job.submit - job.length);
        sum.mean_slowdown += slowdown(job, outcome);
        sum.preemptions += outcome.put_aside;
        sum.broken_off += outcome.broken_off;
        sum.lost_gpu_s += to_seconds(outcome.lost) * trace.demand_of(job).gpus;
        gpu_s += to_seconds(job.length) * trace.demand_of(job).gpus;
        last = std::max(last, outcome.end);
        if (job.deadline == kNever) continue;
        ++sum.with_deadline;
        sum.late += outcome.end > job.deadline ? 1U : 0U;
        sum.mean_tardiness_s += std::max(0.0, to_seconds(outcome.end - job.deadline));
    }
    sum.jobs = outcomes.size();
    const auto jobs = static_cast<double>(sum.jobs);
    for (double* mean : {&sum.mean_wait_s, &sum.mean_jct_s, &sum.mean_pending_s, &sum.mean_slowdown}) *mean /= jobs;
    if (sum.with_deadline > 0) sum.mean_tardiness_s /= static_cast<double>(sum.with_deadline);
    sum.makespan_s = to_seconds(last - trace.jobs.front().submit);
    if (sum.makespan_s > 0) sum.utilization = gpu_s / (sum.makespan_s * static_cast<double>(gpus));
    const std::vector<double> times = sorted_completion_s(trace, outcomes);
    sum.p50_jct_s = quantile(times, 0.5);
    sum.p99_jct_s = quantile(times, 0.99);
    std::vector<double> slowdowns;
    for (const UserShare& share : user_shares(trace, outcomes)) slowdowns.push_back(share.mean_slowdown);
    sum.fairness = jain_index(slowdowns);
    return sum;
}

}  // namespace sy::measure
