// Replaying a trace and comparing.
//
// Cost: O(n log n) for n jobs, beside the predictor's own. Logarithms appear here only, in figures for people.
#include "core/estimate/score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace sy::estimate {

namespace {

double seconds_of(Duration run) {
    return to_seconds(std::clamp(run, kShortestRun, kLongestRun));
}

std::vector<Duration> predictions(const Trace& trace, RunTime& predictor) {
    using Ending = std::pair<Instant, std::size_t>;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
    std::vector<Duration> predicted;
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        const Job& job = trace.jobs[i];
        for (; !running.empty() && running.top().first <= job.submit; running.pop()) {
            const Job& ended = trace.jobs[running.top().second];
            predictor.learn(features_of(trace, ended), ended.length);
        }
        predicted.push_back(predictor.predict(features_of(trace, job)));
        running.emplace(later(job.submit, job.length), i);
    }
    return predicted;
}

/// Equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(values[a], a) < std::pair(values[b], b); });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        for (std::size_t i = first; i < end; ++i) ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    }
    return ranks;
}

/// 0 where one side does not tell anything apart.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double mean = static_cast<double>(a.size() - 1) / 2;
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

PredictionScore score(const Trace& trace, RunTime& predictor) {
    if (trace.jobs.empty()) return {};
    const std::vector<Duration> predicted = predictions(trace, predictor);
    std::vector<double> errors;
    std::vector<double> guessed_work;
    std::vector<double> actual_work;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        const double guess = seconds_of(predicted[i]);
        const double actual = seconds_of(trace.jobs[i].length);
        errors.push_back(std::abs(std::log(guess / actual)));
        guessed_work.push_back(guess * trace.demand_of(trace.jobs[i]).gpus);
        actual_work.push_back(actual * trace.demand_of(trace.jobs[i]).gpus);
    }
    const auto count = static_cast<double>(errors.size());
    const auto close = std::count_if(errors.begin(), errors.end(), [](double e) { return e <= std::log(2.0); });
    const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return {errors.size(), *middle, mean, static_cast<double>(close) / count,
            correlation(ranks_of(guessed_work), ranks_of(actual_work))};
}

}  // namespace sy::estimate
