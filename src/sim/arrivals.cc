// Bursts: a process that is calm and hasty by turns, each for an exponential time (Fischer and Meier-Hellstern, "The
// Markov-modulated Poisson process cookbook", 1993). Hasty a tenth of the time and ten times as fast then, so about
// half of the jobs come in bursts; a burst lasts five mean gaps, which is some 26 jobs, whatever the rate. Diurnal: a
// rate that swings as a sine over the day, drawn by thinning (Lewis and Shedler, 1979): come at the day's highest rate,
// stay with the probability that the present rate is of it.
#include "sim/arrivals.h"

#include <cmath>

#include "base/check.h"
#include "sim/draw.h"

namespace sy::sim {

namespace {

constexpr double kHastyShare = 0.1;  ///< Of the time.
constexpr double kHastyFactor = 10;  ///< Hasty rate over calm rate.
constexpr double kBurstGaps = 5;     ///< Mean length of a burst, in gaps of the mean rate.
constexpr double kSwing = 0.8;       ///< Noon has 1.8 times the mean rate, midnight 0.2 times.
constexpr double kDay = 24 * 3600;

class Poisson {
public:
    explicit Poisson(double rate) : rate_(rate) {}
    double next(double now, Random& random) const { return now + draw_exponential(random) / rate_; }

private:
    double rate_;
};

class Bursts {
public:
    explicit Bursts(double rate)
        : calm_rate_(rate / (1 - kHastyShare + kHastyShare * kHastyFactor)), burst_(kBurstGaps / rate) {}

    double next(double now, Random& random) {
        while (true) {
            const double rate = hasty_ ? calm_rate_ * kHastyFactor : calm_rate_;
            const double then = now + draw_exponential(random) / rate;
            if (then < turn_) return then;
            now = turn_;  // the rest of the gap is drawn anew: the past does not matter
            hasty_ = !hasty_;
            turn_ += draw_exponential(random) * (hasty_ ? burst_ : burst_ * (1 - kHastyShare) / kHastyShare);
        }
    }

private:
    double calm_rate_;
    double burst_;
    double turn_ = 0;
    bool hasty_ = true;  ///< Turned at once: a trace begins calm.
};

class Diurnal {
public:
    explicit Diurnal(double rate) : highest_(rate * (1 + kSwing)) {}
    double next(double now, Random& random) const {
        do now += draw_exponential(random) / highest_;
        while (!random.chance((1 + kSwing * sine_of_turns(now / kDay - 0.25)) / (1 + kSwing)));
        return now;
    }

private:
    double highest_;
};

template <class Process>
std::vector<Duration> draw_from(Process process, const Until& until, Random& random) {
    std::vector<Duration> times;
    const double end = to_seconds(until.span);
    for (double now = process.next(0, random); now < end && times.size() < until.count; now = process.next(now, random))
        times.push_back(to_milliseconds(now));
    return times;
}

}  // namespace

std::vector<Duration> draw_arrivals(Arrivals process, double rate, const Until& until, Random random) {
    SY_CHECK(rate > 0, "a rate of {}", rate);
    switch (process) {
        case Arrivals::poisson: return draw_from(Poisson(rate), until, random);
        case Arrivals::bursts: return draw_from(Bursts(rate), until, random);
        case Arrivals::diurnal: return draw_from(Diurnal(rate), until, random);
    }
    return {};
}

Duration to_milliseconds(double seconds) {
    return std::llround(seconds * 1e3) * Duration(1ms);
}

}  // namespace sy::sim
