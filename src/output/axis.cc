#include "output/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace sy::output {

namespace {

constexpr double kMostMarks = 6;
constexpr double kShortest = 0.001;

struct Unit {
    double seconds;
    std::string_view name;
};
constexpr Unit kSecond{1, "s"};
constexpr Unit kMinute{60, "min"};
constexpr Unit kHour{3600, "h"};
constexpr Unit kDay{86400, "d"};

struct TimeStep {
    double of_unit;
    Unit unit;
    double seconds() const { return of_unit * unit.seconds; }
};
constexpr std::array kTimeSteps{
    TimeStep{1, kSecond}, TimeStep{2, kSecond}, TimeStep{5, kSecond}, TimeStep{10, kSecond}, TimeStep{30, kSecond},
    TimeStep{1, kMinute}, TimeStep{2, kMinute}, TimeStep{5, kMinute}, TimeStep{10, kMinute}, TimeStep{30, kMinute},
    TimeStep{1, kHour},   TimeStep{2, kHour},   TimeStep{6, kHour},   TimeStep{12, kHour},   TimeStep{1, kDay}};

constexpr std::array kLogMarks{TimeStep{0.001, kSecond}, TimeStep{0.01, kSecond}, TimeStep{0.1, kSecond},
                               TimeStep{1, kSecond},     TimeStep{10, kSecond},   TimeStep{1, kMinute},
                               TimeStep{10, kMinute},    TimeStep{1, kHour},      TimeStep{6, kHour},
                               TimeStep{1, kDay},        TimeStep{10, kDay},      TimeStep{100, kDay},
                               TimeStep{1000, kDay},     TimeStep{10000, kDay}};

/// 1, 2 or 5 times a power of ten, so that not too many fit into `range`.
double round_step(double range) {
    const double power = std::pow(10, std::floor(std::log10(range / kMostMarks)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (range / (factor * power) <= kMostMarks) return factor * power;
    return 10 * power;
}

TimeStep step_for(double seconds) {
    if (seconds < kMostMarks) return {round_step(seconds), kSecond};
    for (const TimeStep& step : kTimeSteps)
        if (seconds / step.seconds() <= kMostMarks) return step;
    return {round_step(seconds / kDay.seconds), kDay};
}

}  // namespace

std::vector<Mark> time_marks(double seconds) {
    if (!(seconds > 0)) return {{0, "0"}};
    const TimeStep step = step_for(seconds);
    std::vector<Mark> marks;
    for (int i = 0; i * step.seconds() <= seconds; ++i)
        marks.push_back(
            {i * step.seconds() / seconds, i == 0 ? "0" : fmt::format("{:g} {}", i * step.of_unit, step.unit.name)});
    return marks;
}

double round_end(double value) {
    if (!(value > 0)) return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (value <= factor * power) return factor * power;
    return 10 * power;
}

LogTimeAxis::LogTimeAxis(double least_s, double largest_s)
    : least_(std::max(least_s, kShortest)), largest_(std::max(largest_s, least_)) {
    if (largest_ < 10 * least_) {
        const double middle = std::sqrt(least_ * largest_);
        least_ = middle / std::sqrt(10);
        largest_ = middle * std::sqrt(10);
    }
}

double LogTimeAxis::at(double seconds) const {
    return std::clamp(std::log(std::max(seconds, kShortest) / least_) / std::log(largest_ / least_), 0.0, 1.0);
}

std::vector<Mark> LogTimeAxis::marks() const {
    std::vector<Mark> marks;
    for (const TimeStep& mark : kLogMarks)
        if (mark.seconds() >= least_ && mark.seconds() <= largest_)
            marks.push_back({at(mark.seconds()), fmt::format("{:g} {}", mark.of_unit, mark.unit.name)});
    return marks;
}

}  // namespace sy::output
