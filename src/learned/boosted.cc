// Boosted trees over the rolling predictor.
//
// Problem: the rolling predictor leans on habits in a fixed order and knows neither the hour nor how two habits go
// together. Trees find such things by themselves, but poorly learn what a mean gives for nothing.
//
// Choice: stacking. A row holds what the rolling predictor knew of the job just before it learned its run time, so
// there is nothing in it of the job itself or of any that ended later; the target is ln(actual / rolling's prediction).
// Users, models and names enter as what their memories hold (target encoding from the past alone), never as numbers, so
// a name that comes after the training is no stranger. Values are taken relative to the rolling prediction, so what was
// learned of short jobs holds for long ones.
//
// Two things were tried and left out, for they made predictions worse: the time within the week, by which trees learn
// the trace's last weeks by heart, and how often each habit was met. Deep trees and squared errors did harm as well.
//
// What a row is worth ages, so training begins anew each time, on a sliding window, when twice as many jobs have ended
// as at the last training, later every so many.
//
// Weakness: a row is taken when its job ends, a prediction when one comes. With long jobs the rows have seen fresher
// memories than predictions will.
#include "learned/boosted.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/core.h>

namespace sy::learned {

namespace {

using estimate::JobFeatures;
using estimate::Memory;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kOfHabit = 2;
constexpr std::size_t kOfJob = 9;
constexpr std::size_t kColumns = estimate::kHabits * kOfHabit + kOfJob;
using Row = std::array<float, kColumns>;

double seconds_of(Duration run) {
    return to_seconds(std::clamp(run, estimate::kShortestRun, estimate::kLongestRun));
}

float hour_of(Instant instant) {
    return static_cast<float>(to_seconds((instant - kStart) % Duration(24h)) / 3600);
}

float mean_or_missing(const estimate::Average& average) {
    return average.count > 0 ? static_cast<float>(average.mean) : kMissing;
}

Row row_of(const estimate::Rolling& rolling, const JobFeatures& job, Duration guess) {
    const double root = std::sqrt(std::sqrt(seconds_of(guess)));
    const auto memories = rolling.memories(job);
    Row row;
    auto next = row.begin();
    for (const Memory* memory : memories) {
        *next++ = memory == nullptr ? kMissing : static_cast<float>(memory->length.mean / root);
        *next++ = memory == nullptr ? kMissing : static_cast<float>(memory->last / root);
    }
    const Memory* user = memories[static_cast<std::size_t>(estimate::Habit::user)];
    const bool estimated = job.estimate > Duration::zero();
    *next++ = static_cast<float>(root);
    *next++ = estimated ? static_cast<float>(seconds_of(job.estimate) / seconds_of(guess)) : kMissing;
    *next++ = estimated ? static_cast<float>(seconds_of(job.estimate)) : kMissing;
    *next++ = user == nullptr ? kMissing : mean_or_missing(user->ratio);
    *next++ = user == nullptr ? kMissing : mean_or_missing(user->history_miss);
    *next++ = user == nullptr ? kMissing : mean_or_missing(user->owner_miss);
    *next++ = static_cast<float>(job.gpus);
    *next++ = static_cast<float>(job.level);
    *next++ = hour_of(job.submit);
    return row;
}

Result<void> within(const char* what, std::uint32_t value, std::uint32_t most) {
    if (value >= 1 && value <= most) return {};
    return fail(Fault::invalid_input, fmt::format("boosted: {} is {}, it must be 1 to {}", what, value, most));
}

}  // namespace

Result<std::unique_ptr<Boosted>> Boosted::make(const BoostOptions& options) {
    for (const auto& [what, value, most] :
         {std::tuple{"window", options.window, kMostWindow}, std::tuple{"first", options.first, kMostWindow},
          std::tuple{"every", options.every, kMostWindow}, std::tuple{"rounds", options.trees.rounds, kMostRounds},
          std::tuple{"depth", options.trees.depth, kMostDepth}})
        if (const auto fits = within(what, value, most); !fits) return tl::unexpected(fits.error());
    if (!(options.trees.rate > 0 && options.trees.rate <= 1))
        return fail(Fault::invalid_input,
                    fmt::format("boosted: rate is {}, it must be above 0 and at most 1", options.trees.rate));
    return std::unique_ptr<Boosted>(new Boosted(options));
}

Duration Boosted::predict(const JobFeatures& job) const {
    const Duration guess = rolling_.predict(job);
    if (!trees_) return guess;
    const Result<float> factor = trees_->predict(row_of(rolling_, job, guess));
    if (!factor) return guess;
    const double seconds = seconds_of(guess) * std::exp(static_cast<double>(*factor));
    const double most = to_seconds(estimate::kLongestRun);
    return std::max(estimate::kShortestRun, Duration(std::llround(std::min(seconds, most) * 1e9)));
}

void Boosted::learn(const JobFeatures& job, Duration actual) {
    const Duration guess = rolling_.predict(job);
    const Row row = row_of(rolling_, job, guess);
    const auto target = static_cast<float>(std::log(seconds_of(actual) / seconds_of(guess)));
    rolling_.learn(job, actual);
    const std::size_t at = ended_ % options_.window;
    if (at == targets_.size()) {
        targets_.push_back(target);
        rows_.insert(rows_.end(), row.begin(), row.end());
    } else {
        targets_[at] = target;
        std::copy(row.begin(), row.end(), rows_.begin() + static_cast<std::ptrdiff_t>(at * kColumns));
    }
    if (++ended_ >= due_) train();
}

void Boosted::train() {
    due_ = ended_ + std::min<std::uint64_t>(ended_, options_.every);
    Result<Trees> trained = Trees::train(rows_, kColumns, targets_, options_.trees);
    trees_.reset();
    trouble_.reset();
    if (trained)
        trees_.emplace(std::move(*trained));
    else
        trouble_ = std::move(trained.error());
    ++trainings_;
}

}  // namespace sy::learned
