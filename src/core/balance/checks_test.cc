#include "core/balance/checks.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/balance/testing.h"

namespace sy::balance {
namespace {

using Verdicts = std::vector<Verdict>;

const ReplicaId kOne(1);

/// Checks and their clock, which moves from wake-up to wake-up.
class Ward {
public:
    explicit Ward(const CheckRules& rules = {}) : checks(rules) {}

    /// The next probes, however long that takes; what came of the wake-ups on the way is kept in `verdicts`.
    std::vector<Probe> next_probes() {
        for (;;) {
            now = std::max(now, checks.next_wake());
            const Orders orders = checks.wake(now);
            note(orders.verdicts);
            if (!orders.probes.empty()) return orders.probes;
        }
    }
    /// One probe after the other with this answer.
    void probe(int times, bool well) {
        for (int i = 0; i < times; ++i)
            for (const Probe& probe : next_probes()) note(checks.answered(probe, well, now));
    }
    void serve(ReplicaId id, bool well) { note(checks.served(id, well, now)); }
    void note(const Verdicts& more) {
        for (const Verdict& verdict : more) {
            verdicts.push_back(verdict);
            share[verdict.replica] = verdict.share;
        }
    }

    Checks checks;
    Instant now = kStart;
    Verdicts verdicts;
    std::map<ReplicaId, std::uint32_t> share;
};

Ward ward_with_one_in(const CheckRules& rules = {}) {
    Ward ward(rules);
    EXPECT_TRUE(ward.checks.watch(kOne, ward.now));
    ward.probe(static_cast<int>(rules.successes), true);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::in);
    return ward;
}

TEST(Checks, ANewReplicaComesInAfterEnoughSuccesses) {
    Ward ward;
    EXPECT_TRUE(ward.checks.watch(kOne, ward.now));
    EXPECT_FALSE(ward.checks.watch(kOne, ward.now));
    EXPECT_EQ(ward.checks.next_wake(), ward.now) << "its first probe is due at once";
    ward.probe(1, true);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::returning);
    EXPECT_TRUE(ward.verdicts.empty());
    ward.probe(1, true);
    EXPECT_EQ(ward.verdicts, (Verdicts{{kOne, 1000}}));
}

TEST(Checks, GoesOutAfterEnoughFailuresInARowAndNotBefore) {
    Ward ward = ward_with_one_in();
    ward.probe(2, false);
    ward.probe(1, true);
    ward.probe(2, false);
    EXPECT_EQ(ward.share[kOne], 1000U);
    ward.probe(1, false);
    EXPECT_EQ(ward.share[kOne], 0U);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::out);
}

TEST(Checks, OneFailureWhileReturningIsOutAgain) {
    Ward ward = ward_with_one_in({.failures = 1, .successes = 3});
    ward.probe(1, false);
    ward.probe(2, true);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::returning);
    ward.probe(1, false);
    ward.probe(2, true);
    EXPECT_EQ(ward.share[kOne], 0U);
    ward.probe(1, true);
    EXPECT_EQ(ward.share[kOne], 1000U);
}

TEST(Checks, FailedRequestsCountLikeFailedProbesAndBringTheNextProbeForward) {
    Ward ward = ward_with_one_in();
    ward.serve(kOne, false);
    ward.probe(1, false);
    ward.serve(kOne, false);
    EXPECT_EQ(ward.share[kOne], 0U);
    EXPECT_LE(ward.checks.next_wake(), ward.now + 1s);
    ward.serve(kOne, true);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::out) << "what began before it went out says nothing";
}

TEST(Checks, AProbeWithoutAnAnswerHasFailedAndItsLateAnswerIsOutOfDate) {
    Ward ward = ward_with_one_in({.failures = 1});
    const Probe silent = ward.next_probes().front();
    EXPECT_EQ(ward.checks.next_wake(), ward.now + 2s);
    ward.now += 2s;
    EXPECT_EQ(ward.checks.wake(ward.now).verdicts, (Verdicts{{kOne, 0}}));
    EXPECT_TRUE(ward.checks.answered(silent, true, ward.now).empty());
    EXPECT_EQ(ward.checks.condition(kOne), Condition::out);
    const Probe next = ward.next_probes().front();
    EXPECT_TRUE(ward.checks.answered(silent, true, ward.now).empty());
    EXPECT_EQ(ward.checks.condition(kOne), Condition::out);
    ward.checks.answered(next, true, ward.now);
    EXPECT_EQ(ward.checks.condition(kOne), Condition::returning);
}

TEST(Checks, ProbesKeepTheirIntervalsUpToATenth) {
    Ward ward = ward_with_one_in();
    for (int i = 0; i < 50; ++i) {
        EXPECT_GE(ward.checks.next_wake(), ward.now + 4500ms);
        EXPECT_LE(ward.checks.next_wake(), ward.now + 5s);
        ward.probe(1, true);
    }
    EXPECT_TRUE(ward.checks.wake(ward.now).probes.empty()) << "nothing is due: waking early does nothing";
}

TEST(Checks, ASlowStartClimbsToTheFullShare) {
    Ward ward = ward_with_one_in({.slow_start = 10s});
    const Instant came_in = ward.now;
    while (ward.now < came_in + 10s) ward.probe(1, true);
    ASSERT_EQ(ward.verdicts.size(), 11U);
    for (std::uint32_t step = 0; step <= 10; ++step) EXPECT_EQ(ward.verdicts[step].share, 100 + 90 * step);
}

TEST(Checks, PanicUsesAllThatWereEverInAndEndsByItself) {
    Ward ward({.failures = 1, .panic = 500});
    for (std::uint32_t id = 1; id <= 4; ++id) ward.checks.watch(ReplicaId(id), ward.now);
    for (int i = 0; i < 2; ++i)
        for (std::uint32_t id = 1; id <= 4; ++id)
            for (const Probe& probe : ward.next_probes()) ward.note(ward.checks.answered(probe, true, ward.now));
    ward.checks.watch(ReplicaId(9), ward.now);  // never seen well
    ward.serve(ReplicaId(1), false);
    ward.serve(ReplicaId(2), false);
    EXPECT_FALSE(ward.checks.panicking()) << "half are in";
    EXPECT_EQ(ward.share[ReplicaId(1)], 0U);
    ward.verdicts.clear();
    ward.serve(ReplicaId(3), false);
    EXPECT_TRUE(ward.checks.panicking());
    EXPECT_EQ(ward.verdicts, (Verdicts{{ReplicaId(1), 1000}, {ReplicaId(2), 1000}})) << "and 3 keeps what it had";
    EXPECT_FALSE(ward.share.contains(ReplicaId(9)));
    while (ward.checks.panicking()) ward.probe(1, true);
    EXPECT_EQ(ward.share[ReplicaId(4)], 1000U);
}

TEST(Checks, AForgottenReplicaIsNotHeardOfAgain) {
    Ward ward = ward_with_one_in();
    const Probe probe = ward.next_probes().front();
    EXPECT_TRUE(ward.checks.forget(kOne, ward.now).empty());
    EXPECT_TRUE(ward.checks.answered(probe, false, ward.now).empty());
    EXPECT_TRUE(ward.checks.served(kOne, false, ward.now).empty());
    EXPECT_EQ(ward.checks.condition(kOne), std::nullopt);
    EXPECT_EQ(ward.checks.next_wake(), kNever);
    EXPECT_TRUE(ward.checks.forget(kOne, ward.now).empty());
}

TEST(Checks, RulesChangeWhileRunningAndImpossibleOnesAreRefused) {
    Ward ward = ward_with_one_in();
    EXPECT_TRUE(ward.checks.set_rules({.failures = 1}));
    ward.serve(kOne, false);
    EXPECT_EQ(ward.share[kOne], 0U);
    EXPECT_EQ(ward.checks.set_rules({.interval = 0s}).error().message,
              "an interval of 0 s is not between 0.001 s and 86400 s");
    EXPECT_TRUE(validate({.timeout = 1ms}));
    EXPECT_FALSE(validate({.timeout = 1ms - 1ns}));
    EXPECT_TRUE(validate({.retry = 24h}));
    EXPECT_FALSE(validate({.retry = 24h + 1ns}));
    EXPECT_FALSE(validate({.failures = 0}));
    EXPECT_FALSE(validate({.successes = 0}));
    EXPECT_FALSE(validate({.panic = 1001}));
    EXPECT_FALSE(validate({.slow_start = -1s}));
    EXPECT_DEATH(Checks({.failures = 0}), "0 failures");
}

/// The naive twin of the counters: one replica, told the same outcomes.
struct Twin {
    Condition condition = Condition::returning;
    std::uint32_t in_a_row = 0;

    void probed(bool well, const CheckRules& rules) {
        if (condition == Condition::in) return served(well, rules);
        in_a_row = well ? in_a_row + 1 : 0;
        condition = well ? Condition::returning : Condition::out;
        if (in_a_row == rules.successes) *this = {Condition::in, 0};
    }
    void served(bool well, const CheckRules& rules) {
        if (condition != Condition::in) return;
        in_a_row = well ? 0 : in_a_row + 1;
        if (in_a_row == rules.failures) *this = {Condition::out, 0};
    }
};

TEST(Checks, AgreeWithTheirTwinAndTheBalancerNeverPicksWhoIsOut) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        const CheckRules rules{.failures = static_cast<std::uint32_t>(1 + random.below(4)),
                               .successes = static_cast<std::uint32_t>(1 + random.below(4)),
                               .slow_start = random.between(Duration(0s), Duration(20s))};
        Ward ward(rules);
        Balancer balancer(make_policy("power-of-two"));
        std::map<ReplicaId, Twin> twins;
        for (std::uint32_t id = 0; id < 6; ++id) {
            ASSERT_TRUE(balancer.join(ReplicaId(id), 1, 0));
            ward.checks.watch(ReplicaId(id), ward.now);
            twins[ReplicaId(id)] = {};
        }
        const auto obey = [&] {
            for (const Verdict& verdict : ward.verdicts)
                ASSERT_TRUE(balancer.set_share(verdict.replica, verdict.share));
            ward.verdicts.clear();
        };
        for (int i = 0; i < 500; ++i) {
            for (const Probe& probe : ward.next_probes()) {
                const bool well = random.chance(0.6);
                ward.note(ward.checks.answered(probe, well, ward.now));
                twins[probe.replica].probed(well, rules);
            }
            obey();
            const auto ticket = balancer.pick({});
            for (const auto& [id, twin] : twins) ASSERT_EQ(ward.checks.condition(id), twin.condition);
            if (!ticket) continue;
            ASSERT_EQ(twins[ticket->replica].condition, Condition::in);
            ASSERT_TRUE(balancer.finish(*ticket));
            const bool well = random.chance(0.7);
            ward.serve(ticket->replica, well);
            twins[ticket->replica].served(well, rules);
            obey();
        }
    }
}

}  // namespace
}  // namespace sy::balance
