// A trace taken up in the middle: whoever runs goes on, whoever waits keeps its place.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/replay.h"
#include "simulate/drawn.h"

namespace sy::sim {
namespace {

struct Cut {
    Trace trace;
    Opening opening;
    std::vector<std::size_t> whole;  ///< Which job of the whole trace each of these is.
};

/// What is left at an instant of a run, as somebody who looks at it then would tell it.
Cut cut_at(const Trace& trace, const std::vector<Outcome>& run, Instant at) {
    Cut cut{trace, {at, 0}, {}};
    cut.trace.jobs.clear();
    cut.trace.ids.clear();
    const auto take = [&](std::size_t i, Duration length) {
        cut.trace.jobs.push_back(trace.jobs[i]);
        cut.trace.jobs.back().length = length;
        cut.trace.ids.push_back(trace.ids[i]);
        cut.whole.push_back(i);
    };
    for (std::size_t i = 0; i < run.size(); ++i)
        if (run[i].start < at && run[i].end > at) take(i, run[i].end - at);
    cut.opening.running = cut.trace.jobs.size();
    for (std::size_t i = 0; i < run.size(); ++i)
        if (run[i].start >= at && run[i].end > at) take(i, trace.jobs[i].length);
    return cut;
}

TEST(Opening, ARunTakenUpInTheMiddleEndsAsIfItHadNotBeenStopped) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const std::vector<NodeSpec> nodes = naive::drawn_cluster(random);
        const Trace trace = naive::drawn_trace(
            random, nodes, {.jobs = 25, .estimates = false, .fractions = true, .zero_lengths = false});
        for (const char* order : {"fcfs", "sjf", "smallest", "priority", "edf"})
            for (const char* fit : {"strict", "skip", "easy", "conservative"}) {
                schedule::Policy policy;
                policy.order = order;
                policy.fit = fit;
                const auto whole = replay(trace, nodes, policy);
                ASSERT_TRUE(whole);
                const Instant at = trace.jobs[trace.jobs.size() / 2].submit + Duration(1);
                const Cut cut = cut_at(trace, whole->jobs, at);
                const auto rest = replay(cut.trace, nodes, policy, nullptr, {}, cut.opening);
                ASSERT_TRUE(rest);
                for (std::size_t i = 0; i < cut.whole.size(); ++i)
                    ASSERT_EQ(rest->jobs[i].end, whole->jobs[cut.whole[i]].end)
                        << fmt::format("seed {}, {} {}: job {}", seed, order, fit, cut.trace.ids[i]);
            }
    }
}

Trace two_jobs() {
    Trace trace;
    trace.demands = {{.gpus = 1}};
    trace.ids = {"running", "short"};
    trace.jobs = {{.submit = kStart, .length = 50s}, {.submit = kStart + 1s, .length = 10s}};
    return trace;
}

TEST(Opening, WhoRunsIsNotPassedByAShorterOneUnlessTheOrderInterrupts) {
    const std::vector<NodeSpec> one{NodeSpec{.gpus = 1}};
    const Opening opening{kStart + 100s, 1};
    const auto steady = replay(two_jobs(), one, {.order = "sjf"}, nullptr, {}, opening);
    EXPECT_EQ(steady->jobs[0].end, kStart + 150s);
    EXPECT_EQ(steady->jobs[1].end, kStart + 160s);
    const auto interrupted = replay(two_jobs(), one, {.order = "srtf"}, nullptr, {}, opening);
    EXPECT_EQ(interrupted->jobs[1].end, kStart + 110s);
    EXPECT_EQ(interrupted->jobs[0].end, kStart + 160s);
    EXPECT_EQ(interrupted->jobs[0].put_aside, 1U);
}

class Impatient final : public Onlooker {
public:
    void decided(Instant, const schedule::Decision&, std::uint64_t, std::size_t) override {}
    bool go_on() override { return false; }
};

TEST(Opening, AnOnlookerMayCallItOff) {
    Impatient impatient;
    const auto off = replay(two_jobs(), std::vector{NodeSpec{.gpus = 1}}, {}, &impatient);
    ASSERT_FALSE(off);
    EXPECT_EQ(off.error().message, "called off when 0 of 2 jobs had ended");
}

}  // namespace
}  // namespace sy::sim
