// Churn: nodes and requests come and go at random, for many thousands of events, and a checker that shares no code with
// the crew recounts everything.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/pipeline/members/crew_testing.h"
#include "core/pipeline/route/routers.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::kGb;

std::uint64_t bytes_of(Range range) {
    return range.empty() ? 0 : range.size() * kGb + (range.first == 0 ? kGb / 2 : 0) + (range.end == 12 ? kGb / 2 : 0);
}

/// What the world outside knows: who lives, who asked and has not ended.
struct World {
    std::map<std::string, MeshNode> nodes;
    std::map<std::string, Instant> heard;
    std::set<RequestId> open;
    std::set<RequestId> with_way;
    std::uint64_t ended = 0;
};

class Churn {
public:
    Churn(std::uint64_t seed, std::uint64_t ids, CrewSettings settings)
        : random_(seed), ids_(ids), settings_(settings), drill_(std::move(settings)) {}

    void run(std::uint64_t events) {
        for (std::uint64_t i = 0; i < events && !::testing::Test::HasFailure(); ++i) {
            drill_.now += random_.between(0ms, 400ms);
            happen();
            heed();
            if (i % 8 == 0) recount();
        }
        recount();
        while (!world_.open.empty()) {
            end(*world_.open.begin());
            heed();
        }
        recount();
        for (NodeIndex n = 0; n < drill_.crew.shards().size(); ++n) EXPECT_EQ(drill_.crew.shards().in_flight(n), 0U);
        EXPECT_EQ(drill_.crew.running_count() + drill_.crew.waiting_count(), 0U);
        EXPECT_EQ(world_.ended, asked_);
    }
    std::uint64_t with_way() const { return given_; }

private:
    void happen() {
        const std::uint64_t dice = random_.below(100);
        if (dice < 3) return join();
        if (dice < 4) return leave();
        if (dice < 40) return beat();
        if (dice < 55) return load();
        if (dice < 75) return ask();
        if (dice < 92) return end_one();
        if (dice < 94) return fail_stage();
        if (dice < 95) return measure_link();
        drill_.step(Tick{});
    }

    std::string some_id() { return "n" + std::to_string(random_.below(ids_)); }

    void join() {
        MeshNode node = testing::node_with(some_id(), 1 + random_.below(14), 0.5 + random_.uniform());
        if (random_.chance(0.1)) node.max_layers = static_cast<std::uint32_t>(random_.below(6));
        std::vector<MeasuredLink> links;
        if (random_.chance(0.1)) links.push_back({node.id, some_id(), {random_.between(1ms, 90ms), 1}});
        drill_.step(NodeJoined{node, links});
        world_.nodes[node.id] = node;
        world_.heard[node.id] = drill_.now;
        drill_.to_load.erase(node.id);
        for (const LoadLayers& each : drill_.just<LoadLayers>())
            if (each.node == node.id && !each.range.empty()) drill_.to_load[each.node] = each.range;
    }
    void leave() {
        const std::string id = some_id();
        drill_.leave(id);
        EXPECT_EQ(drill_.just<NodeLost>().size() + drill_.just<NodeUnknown>().size() > 0, true);
    }
    void beat() {
        const std::string id = some_id();
        // These are silent for long, again and again.
        if ((id == "n1" || id == "n3") && random_.chance(0.9)) return;
        const bool there = world_.nodes.contains(id);
        drill_.step(Beat{id, random_.between(100us, 5ms), static_cast<std::uint32_t>(random_.below(4))});
        if (there) world_.heard[id] = drill_.now;
    }
    void load() {
        if (drill_.to_load.empty()) return;
        const auto [node, range] =
            *std::next(drill_.to_load.begin(), static_cast<std::ptrdiff_t>(random_.below(drill_.to_load.size())));
        drill_.to_load.erase(node);
        if (random_.chance(0.02))
            drill_.step(LoadFailed{node});
        else
            drill_.step(LayersLoaded{node, range});
    }
    void ask() {
        const RequestId id(++asked_);
        world_.open.insert(id);
        drill_.step(RequestAsked{id, static_cast<Level>(random_.below(4)),
                                 static_cast<std::uint32_t>(random_.below(900)),
                                 static_cast<std::uint32_t>(random_.below(400))});
    }
    RequestId some_request() {
        const auto after = world_.open.lower_bound(RequestId(asked_ - std::min(asked_, random_.below(40))));
        return after == world_.open.end() ? *world_.open.begin() : *after;
    }
    void end(RequestId id) {
        world_.open.erase(id);
        world_.with_way.erase(id);
        ++world_.ended;
        drill_.step(RequestEnded{id});
    }
    void end_one() {
        if (!world_.open.empty()) end(some_request());
    }
    void fail_stage() {
        if (!world_.open.empty()) drill_.step(StageFailed{some_request(), some_id()});
    }
    void measure_link() { drill_.step(LinkMeasured{{some_id(), some_id(), {random_.between(1ms, 90ms), 1}}}); }

    /// What was said must make sense to a world that knows nothing else.
    void heed() {
        for (const CrewEffect& effect : drill_.said) std::visit([&](const auto& each) { heed(each); }, effect);
        drill_.said.clear();
        drill_.all.clear();
    }
    void heed(const LoadLayers& load) {
        ASSERT_TRUE(world_.nodes.contains(load.node)) << load.node;
        const MeshNode& node = world_.nodes.at(load.node);
        EXPECT_LE(bytes_of(load.range) * 2, node.memory.value()) << load.node;
        EXPECT_LE(load.range.size(), node.max_layers.value_or(12));
    }
    void heed(const NodeLost& lost) {
        // One that joined again was lost before it joined.
        if (drill_.crew.roster().find(lost.node)) return;
        world_.nodes.erase(lost.node);
        world_.heard.erase(lost.node);
    }
    void heed(const RouteGiven& given) {
        EXPECT_TRUE(world_.open.contains(given.request));
        EXPECT_TRUE(world_.with_way.insert(given.request).second) << "given twice";
        check_way(given.stages);
        ++given_;
    }
    void heed(const RequestRerouted& given) {
        EXPECT_TRUE(world_.with_way.contains(given.request));
        check_way(given.stages);
    }
    void heed(const RequestParked& parked) { EXPECT_TRUE(world_.with_way.contains(parked.request)); }
    void heed(const RequestRefused& refused) {
        EXPECT_FALSE(world_.with_way.contains(refused.request));
        EXPECT_EQ(world_.open.erase(refused.request), 1U) << "ended twice";
        EXPECT_FALSE(refused.reason.empty());
        ++world_.ended;
    }
    void heed(const RequestFailed& failed) {
        EXPECT_EQ(world_.with_way.erase(failed.request), 1U);
        EXPECT_EQ(world_.open.erase(failed.request), 1U) << "ended twice";
        EXPECT_FALSE(failed.reason.empty());
        ++world_.ended;
    }
    void heed(const NodeUnknown& unknown) { EXPECT_FALSE(world_.nodes.contains(unknown.node)) << unknown.node; }
    void heed(const NodeRefused& refused) { ADD_FAILURE() << refused.node << ": " << refused.reason; }
    void heed(const Rebalanced&) {}
    void heed(const WakeAt& wake) { EXPECT_GE(wake.at, kStart); }

    void check_way(const Pipeline& stages) {
        Layer reached = 0;
        for (const auto& [node, range] : stages) {
            EXPECT_EQ(range.first, reached);
            EXPECT_LT(range.first, range.end);
            reached = range.end;
            EXPECT_TRUE(drill_.crew.roster().is_there(node));
        }
        EXPECT_EQ(reached, 12U);
    }

    /// Nodes, memory, layers, loads and requests, counted again.
    void recount() {
        drill_.step(Tick{});
        heed();
        const Crew& crew = drill_.crew;
        const Roster& roster = crew.roster();
        EXPECT_EQ(roster.count(), world_.nodes.size());
        std::vector<std::uint32_t> holders(12);
        for (NodeIndex n = 0; n < roster.size(); ++n) {
            if (!roster.is_there(n)) {
                EXPECT_FALSE(crew.shards().holds(n)) << "a ghost";
                continue;
            }
            const Member& member = roster.at(n);
            ASSERT_TRUE(world_.nodes.contains(member.id)) << member.id;
            EXPECT_LT(drill_.now - world_.heard.at(member.id), settings_.heartbeat_timeout) << member.id;
            const std::uint64_t room = world_.nodes.at(member.id).memory.value() / 2;
            const Range held = roster.held(n);
            for (const Range range : {held, roster.wanted(n), member.loading}) EXPECT_LE(bytes_of(range), room);
            if (!member.loading.empty() && !held.empty()) {
                EXPECT_GE(held.first, member.loading.first);
                EXPECT_LE(held.end, member.loading.end);
            }
            EXPECT_EQ(crew.shards().holds(n), member.serving);
            if (!member.serving) continue;
            EXPECT_EQ(crew.shards().at(n).range, held);
            for (Layer l = held.first; l < held.end; ++l) ++holders[l];
        }
        for (Layer l = 0; l < 12; ++l) EXPECT_EQ(crew.serving().holders(l), holders[l]);
        EXPECT_EQ(crew.serving(), again());
        EXPECT_EQ(crew.wanted(), LayerLoads(roster.costs(), roster.shares().wanted));
        recount_requests();
    }
    LayerLoads again() const {
        std::vector<Range> ranges(drill_.crew.shards().size());
        for (NodeIndex n = 0; n < ranges.size(); ++n)
            if (drill_.crew.shards().holds(n)) ranges[n] = drill_.crew.roster().held(n);
        return {drill_.crew.roster().costs(), ranges};
    }
    void recount_requests() {
        const Crew& crew = drill_.crew;
        std::vector<std::uint32_t> in_flight(crew.shards().size());
        std::size_t running = 0;
        EXPECT_EQ(crew.requests().size(), world_.open.size());
        for (const auto& [id, request] : crew.requests()) {
            EXPECT_TRUE(world_.open.contains(id));
            EXPECT_EQ(request.had_way, world_.with_way.contains(id));
            if (!request.route) continue;
            ++running;
            for (const auto& [node, range] : request.route->stages) {
                ++in_flight[node];
                const Range held = crew.roster().held(node);
                EXPECT_TRUE(held.first <= range.first && range.end <= held.end) << "through layers that are gone";
            }
        }
        EXPECT_EQ(crew.running_count(), running);
        EXPECT_EQ(crew.waiting_count(), crew.requests().size() - running);
        for (NodeIndex n = 0; n < in_flight.size(); ++n) {
            EXPECT_EQ(crew.shards().in_flight(n), in_flight[n]);
            EXPECT_LE(in_flight[n], 4U);
        }
    }

    Random random_;
    std::uint64_t ids_;
    CrewSettings settings_;
    Drill drill_;
    World world_;
    std::uint64_t asked_ = 0;
    std::uint64_t given_ = 0;
};

CrewSettings hurried(const std::string& allocation, const std::string& routing) {
    CrewSettings settings;
    settings.allocation_strategy = allocation;
    settings.routing_strategy = routing;
    settings.heartbeat_timeout = 30s;
    settings.drain_for = 5s;
    settings.patience = 10s;
    settings.most_waiting = 20;
    settings.rest = 10s;
    settings.load_timeout = 20s;
    settings.search_steps = 1'000;
    return settings;
}

std::uint64_t wished_events() {
    const char* wish = std::getenv("SY_CHURN_EVENTS");
    return wish == nullptr ? 100'000 : std::strtoull(wish, nullptr, 10);
}

TEST(CrewChurn, KeepsItsPromisesThroughAnything) {
    constexpr std::uint64_t kEach = 2'000;
    std::uint64_t with_way = 0;
    for (std::uint64_t seed = 1; seed <= wished_events() / kEach && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        // A few have many nodes, where placing all of them takes longer.
        Churn churn(seed, seed % 10 == 0 ? 16 : 7,
                    hurried(seed % 2 == 0 ? "greedy" : "dp", std::string(router_names()[seed % 3])));
        churn.run(kEach);
        with_way += churn.with_way();
    }
    EXPECT_GT(with_way, wished_events() / 50);
}

TEST(CrewChurn, KeepsItsPromisesWhileItLooksForThroughput) {
    Churn churn(1, 5, hurried("search", "flow"));
    churn.run(400);
    EXPECT_GT(churn.with_way(), 0U);
}

}  // namespace
}  // namespace sy::pipeline
