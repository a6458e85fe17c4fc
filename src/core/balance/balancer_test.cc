#include "core/balance/balancer.h"

#include <gtest/gtest.h>

#include "core/balance/registry.h"

namespace sy::balance {
namespace {

Balancer balancer_with(std::uint32_t replicas) {
    Balancer balancer(make_policy("least-connections"));
    for (std::uint32_t id = 0; id < replicas; ++id) EXPECT_TRUE(balancer.join(ReplicaId(id), 1));
    return balancer;
}

std::uint64_t in_flight(const Balancer& balancer, std::uint32_t id) {
    return balancer.fleet().at(*balancer.fleet().slot_of(ReplicaId(id))).in_flight;
}

TEST(Balancer, SaysWhyNobodyCanBePicked) {
    Balancer balancer = balancer_with(0);
    EXPECT_EQ(balancer.pick({}).error(), Absence::no_replica);
    ASSERT_TRUE(balancer.join(ReplicaId(1), 1, 0));
    EXPECT_EQ(balancer.pick({}).error(), Absence::none_healthy);
    ASSERT_TRUE(balancer.join(ReplicaId(2), 0));
    EXPECT_EQ(balancer.pick({}).error(), Absence::all_drained);
    ASSERT_TRUE(balancer.leave(ReplicaId(2)));
    EXPECT_EQ(balancer.pick({}).error(), Absence::none_healthy);
    ASSERT_TRUE(balancer.leave(ReplicaId(1)));
    EXPECT_EQ(balancer.pick({}).error(), Absence::no_replica);
    EXPECT_EQ(text_of(Absence::none_healthy), "no replica is healthy");
}

TEST(Balancer, CountsWhatIsInFlightUntilItFinishes) {
    Balancer balancer = balancer_with(2);
    const auto first = balancer.pick({.size = 10});
    const auto second = balancer.pick({.size = 20});
    EXPECT_EQ(balancer.fleet().total_in_flight(), 2U);
    EXPECT_EQ(balancer.fleet().total_work(), 30U);
    EXPECT_EQ(first->replica, ReplicaId(0));
    EXPECT_EQ(second->replica, ReplicaId(1));
    EXPECT_TRUE(balancer.finish(*first));
    EXPECT_EQ(balancer.pick({})->replica, ReplicaId(0));
    EXPECT_EQ(balancer.fleet().total_work(), 21U);
}

TEST(Balancer, FinishingTwiceIsRefused) {
    Balancer balancer = balancer_with(1);
    const auto ticket = balancer.pick({});
    EXPECT_TRUE(balancer.finish(*ticket));
    EXPECT_FALSE(balancer.finish(*ticket));
    EXPECT_FALSE(balancer.finish(Ticket{}));
    EXPECT_FALSE(balancer.finish(Ticket{ReplicaId(0), 7, 1, 1}));
    EXPECT_EQ(in_flight(balancer, 0), 0U);
}

TEST(Balancer, ATicketOfAnEarlierStayChangesNothing) {
    Balancer balancer = balancer_with(1);
    const auto old = balancer.pick({});
    ASSERT_TRUE(balancer.leave(ReplicaId(0)));
    ASSERT_TRUE(balancer.join(ReplicaId(0), 1));
    EXPECT_EQ(in_flight(balancer, 0), 0U);
    ASSERT_TRUE(balancer.pick({}));
    EXPECT_FALSE(balancer.finish(*old));
    EXPECT_EQ(in_flight(balancer, 0), 1U);
}

TEST(Balancer, RequestsFinishOnAReplicaThatIsUnhealthyByNow) {
    Balancer balancer = balancer_with(1);
    const auto ticket = balancer.pick({});
    ASSERT_TRUE(balancer.set_share(ReplicaId(0), 0));
    EXPECT_EQ(balancer.fleet().total_in_flight(), 0U) << "no load to share with others";
    EXPECT_TRUE(balancer.finish(*ticket));
    ASSERT_TRUE(balancer.set_share(ReplicaId(0), kFullShare));
    EXPECT_EQ(in_flight(balancer, 0), 0U);
    EXPECT_EQ(balancer.fleet().total_in_flight(), 0U);
}

TEST(Balancer, RefusesWhatBreaksALimit) {
    Balancer balancer = balancer_with(1);
    EXPECT_EQ(balancer.join(ReplicaId(0), 1).error().message, "replica 0 has joined already");
    EXPECT_EQ(balancer.leave(ReplicaId(5)).error().message, "replica 5 has not joined");
    EXPECT_EQ(balancer.set_share(ReplicaId(5), 0).error().message, "replica 5 has not joined");
    EXPECT_TRUE(balancer.set_weight(ReplicaId(0), kLargestWeight));
    EXPECT_EQ(balancer.set_weight(ReplicaId(0), kLargestWeight + 1).error().message, "weight 10001 is above 10000");
    EXPECT_EQ(balancer.join(ReplicaId(1), kLargestWeight + 1).error().message, "weight 10001 is above 10000");
    EXPECT_EQ(balancer.set_share(ReplicaId(0), 1001).error().message, "share 1001 is above 1000");
    EXPECT_TRUE(balancer.tune({.epsilon = kLargestEpsilon, .least_match = 1000}));
    EXPECT_EQ(balancer.tune({.epsilon = kLargestEpsilon + 1}).error().message, "epsilon 1000001 is above 1000000");
    EXPECT_EQ(balancer.tune({.least_match = 1001}).error().message, "least match 1001 is above 1000");
}

TEST(Balancer, TakesTheMostReplicasAndNotOneMore) {
    Balancer balancer = balancer_with(kMostReplicas);
    EXPECT_EQ(balancer.join(ReplicaId(kMostReplicas), 1).error().message,
              "there are 10000 replicas, which is the limit");
    ASSERT_TRUE(balancer.leave(ReplicaId(3)));
    EXPECT_TRUE(balancer.join(ReplicaId(kMostReplicas), 1));
}

TEST(Balancer, AGiantRequestCountsAsTheLargest) {
    Balancer balancer = balancer_with(1);
    EXPECT_EQ(balancer.pick({.size = kLargestSize})->size, kLargestSize);
    EXPECT_EQ(balancer.pick({.size = kLargestSize + 1})->size, kLargestSize);
    EXPECT_EQ(balancer.pick({.size = 0})->size, 1U);
}

TEST(Registry, KnowsEveryPolicyByNameAndNoOther) {
    EXPECT_EQ(policy_names().size(), 7U);
    for (const auto name : policy_names()) EXPECT_NE(make_policy(name), nullptr) << name;
    EXPECT_EQ(make_policy("fastest"), nullptr);
}

}  // namespace
}  // namespace sy::balance
