#include "output/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace sy::output {

namespace {

constexpr double kShortest = 0.001;

struct Unit {
    double seconds;
    std::string_view name;
};
constexpr Unit kSecond{1, "s"};
constexpr Unit kMinute{60, "min"};
constexpr Unit kHour{3600, "h"};
constexpr Unit kDay{86400, "d"};

struct TimeMark {
    double of_unit;
    Unit unit;
    double seconds() const { return of_unit * unit.seconds; }
};

constexpr std::array kLogMarks{TimeMark{0.001, kSecond}, TimeMark{0.01, kSecond}, TimeMark{0.1, kSecond},
                               TimeMark{1, kSecond},     TimeMark{10, kSecond},   TimeMark{1, kMinute},
                               TimeMark{10, kMinute},    TimeMark{1, kHour},      TimeMark{6, kHour},
                               TimeMark{1, kDay},        TimeMark{10, kDay},      TimeMark{100, kDay},
                               TimeMark{1000, kDay},     TimeMark{10000, kDay}};

}  // namespace

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
    for (const TimeMark& mark : kLogMarks)
        if (mark.seconds() >= least_ && mark.seconds() <= largest_)
            marks.push_back({at(mark.seconds()), fmt::format("{:g} {}", mark.of_unit, mark.unit.name)});
    return marks;
}

}  // namespace sy::output
