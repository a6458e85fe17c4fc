// The simulator against queueing theory: Poisson arrivals, one GPU a job, and the means that books give.
//
// Each case is drawn several times; the mean of the draws must lie within three standard errors of the theory. Seeds
// are fixed, so a test passes or fails for ever.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/measure/indicators.h"
#include "sim/replay.h"

namespace sy::sim {
namespace {

using Length = std::function<Duration(Random&)>;

constexpr Duration kMean = 100s;

Duration exponential_length(Random& random) {
    return random.exponential(kMean);
}

/// Nine in ten short, one long: mean 100 s, squared coefficient of variation 3.02.
Duration mixed_length(Random& random) {
    return random.chance(0.9) ? random.exponential(kMean / 2) : random.exponential(kMean * 11 / 2);
}
constexpr double kMixedSecondMoment = 2 * (0.9 * 50.0 * 50.0 + 0.1 * 550.0 * 550.0);

Trace drawn(std::uint64_t seed, std::size_t jobs, GpuCount servers, double load, const Length& length) {
    Random random(seed);
    Trace trace;
    trace.demands = {{.gpus = 1}};
    const auto between = Duration(static_cast<std::int64_t>(static_cast<double>(kMean.count()) / (load * servers)));
    Instant now = kStart;
    for (std::size_t i = 0; i < jobs; ++i) {
        now += random.exponential(between);
        trace.jobs.push_back({.submit = now, .length = length(random)});
        trace.ids.emplace_back();
    }
    return trace;
}

struct Estimate {
    double mean = 0;
    double error = 0;  ///< Standard error of the mean.
};

struct Setting {
    schedule::Policy policy;
    GpuCount servers = 1;
    double load = 0.5;
    Length length = exponential_length;
    std::size_t jobs = 30'000;
};

/// Of what `measure` makes of each job, the first fifth left out: the queue has to fill first.
Estimate simulated(const Setting& setting, const std::function<Duration(const Job&, const Outcome&)>& measure) {
    constexpr std::uint64_t kDraws = 16;
    std::vector<double> means;
    for (std::uint64_t draw = 1; draw <= kDraws; ++draw) {
        const Trace trace =
            drawn(1000 * draw + setting.servers, setting.jobs, setting.servers, setting.load, setting.length);
        const auto result = replay(trace, std::vector{NodeSpec{.gpus = setting.servers}}, setting.policy);
        double sum = 0;
        for (std::size_t i = setting.jobs / 5; i < setting.jobs; ++i)
            sum += to_seconds(measure(trace.jobs[i], result->jobs[i]));
        means.push_back(sum / static_cast<double>(setting.jobs - setting.jobs / 5));
    }
    Estimate estimate;
    for (const double mean : means) estimate.mean += mean / kDraws;
    double squares = 0;
    for (const double mean : means) squares += (mean - estimate.mean) * (mean - estimate.mean);
    estimate.error = std::sqrt(squares / (kDraws - 1) / kDraws);
    return estimate;
}

Duration wait_of(const Job& job, const Outcome& outcome) {
    return outcome.start - job.submit;
}
Duration stay_of(const Job& job, const Outcome& outcome) {
    return outcome.end - job.submit;
}

void expect_near(const Estimate& estimate, double theory, const std::string& what) {
    EXPECT_NEAR(estimate.mean, theory, 3 * estimate.error) << what << ", standard error " << estimate.error;
}

const std::vector<double> kLoads{0.5, 0.8, 0.95};

/// The chance that one who comes must wait.
double erlang_c(unsigned servers, double load) {
    const double offered = load * servers;
    double term = 1;
    double sum = 0;
    for (unsigned k = 0; k < servers; ++k) {
        sum += term;
        term *= offered / (k + 1);
    }
    const double full = term / (1 - load);
    return full / (sum + full);
}

TEST(Theory, OneServerFirstComeFirstServed) {
    for (const double load : kLoads)
        expect_near(simulated({.load = load}, wait_of), 100 * load / (1 - load), "M/M/1 at " + std::to_string(load));
}

TEST(Theory, ManyServersFirstComeFirstServed) {
    for (const double load : kLoads) {
        const double theory = erlang_c(8, load) * 100 / (8 * (1 - load));
        expect_near(simulated({.servers = 8, .load = load}, wait_of), theory, "M/M/8 at " + std::to_string(load));
    }
}

TEST(Theory, AnyLengthsFirstComeFirstServed) {
    for (const double load : kLoads) {
        const double theory = load / 100 * kMixedSecondMoment / (2 * (1 - load));
        expect_near(simulated({.load = load, .length = mixed_length}, wait_of), theory,
                    "M/G/1 at " + std::to_string(load));
    }
}

/// Schrage and Miller, in units of the mean length: the stay of a job of length x, over all x.
double shortest_remaining_stay(double load) {
    constexpr double kStep = 0.001;
    double busy = 0;     // load by jobs up to x
    double squares = 0;  // second moment of jobs up to x
    double residence = 0;
    double mean = 0;
    for (double x = kStep / 2; x < 40; x += kStep) {
        const double density = std::exp(-x);
        busy += load * x * density * kStep;
        squares += x * x * density * kStep;
        residence += kStep / (1 - busy);
        const double wait = load * (squares + x * x * std::exp(-x)) / (2 * (1 - busy) * (1 - busy));
        mean += (wait + residence) * density * kStep;
    }
    return mean;
}

TEST(Theory, OneServerShortestRemainingFirst) {
    for (const double load : kLoads)
        expect_near(simulated({.policy = {.order = "srtf"}, .load = load}, stay_of),
                    100 * shortest_remaining_stay(load), "SRPT at " + std::to_string(load));
}

/// With tiny slices round robin is processor sharing: the mean stay depends on the mean length alone.
TEST(Theory, SmallSlicesShareTheServerWhateverTheLengths) {
    for (const double load : {0.5, 0.8}) {
        Setting setting{.policy = {.order = "rr"}, .load = load, .length = mixed_length, .jobs = 10'000};
        setting.policy.options.slice = 2s;
        expect_near(simulated(setting, stay_of), 100 / (1 - load), "M/G/1 shared at " + std::to_string(load));
    }
}

/// Jobs in the system, added up over time.
class Census final : public Onlooker {
public:
    void decided(Instant at, const schedule::Decision&, std::uint64_t busy, std::size_t waiting) override {
        job_time += static_cast<std::int64_t>(present_) * (at - since_);
        present_ = busy + waiting;
        since_ = at;
    }
    Duration job_time{};

private:
    std::uint64_t present_ = 0;
    Instant since_;
};

TEST(Theory, LittlesLawHoldsToTheNanosecond) {
    for (const std::string order : {"fcfs", "sjf", "fair", "srtf", "srsf", "rr", "mlfq", "las"}) {
        const Trace trace = drawn(7, 5000, 4, 0.9, mixed_length);
        Census census;
        const auto result = replay(trace, std::vector{NodeSpec{.gpus = 4}}, {.order = order}, &census);
        Duration stays{};
        for (std::size_t i = 0; i < trace.jobs.size(); ++i) stays += stay_of(trace.jobs[i], result->jobs[i]);
        EXPECT_EQ(census.job_time, stays) << order;
    }
}

}  // namespace
}  // namespace sy::sim
