// Churn: nodes and requests come and go at random, for many thousands of events, and a checker that shares no code with
// the crew recounts everything.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/pipeline/members/crew_recount_testing.h"
#include "core/pipeline/route/routers.h"

namespace sy::pipeline {
namespace {

using testing::Drill;
using testing::Seen;
using testing::World;

/// How often what was said, by the kind of effect, of plan and of denial.
struct Tally {
    std::array<std::uint64_t, std::variant_size_v<CrewEffect>> effects{};
    std::array<std::uint64_t, 4> plans{};
    std::array<std::uint64_t, 6> denials{};
    std::uint64_t came_back = 0;
    std::uint64_t shunned = 0;  ///< At recounts.

    friend bool operator==(const Tally&, const Tally&) = default;
};

class Churn {
public:
    Churn(std::uint64_t seed, std::uint64_t ids, const CrewSettings& settings, const Ground& ground)
        : random_(seed), ids_(ids), drill_(settings, ground) {
        world_.heartbeat_timeout = settings.heartbeat_timeout;
        world_.suspicion = settings.suspicion;
        world_.enough_reports = settings.enough_reports;
        world_.most_requests = ground.settings.max_concurrent;
        world_.cache_per_layer =
            std::uint64_t{2} * ground.model.kv_heads * ground.model.head_size * 2 * ground.settings.max_sequence;
    }

    void run(std::uint64_t events) {
        for (std::uint64_t i = 0; i < events && !::testing::Test::HasFailure(); ++i) {
            drill_.now += random_.between(0ms, 400ms);
            happen();
            heed();
            if (i % 4 == 0) recount();
        }
        recount();
    }
    /// Every request that was asked for has ended once, and left nothing behind.
    void finish() {
        while (!world_.open.empty()) {
            end(world_.open.begin()->first);
            heed();
        }
        recount();
        for (NodeIndex n = 0; n < drill_.crew.shards().size(); ++n) EXPECT_EQ(drill_.crew.shards().in_flight(n), 0U);
        EXPECT_EQ(drill_.crew.running_count() + drill_.crew.waiting_count(), 0U);
        EXPECT_EQ(ended_, asked_);
    }
    const Tally& tally() const { return tally_; }
    const Drill& drill() const { return drill_; }
    const World& world() const { return world_; }

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
        if (dice < 96) return ask_again();
        if (dice < 97) return lose_layers();
        drill_.step(Tick{});
    }

    std::string some_id() { return "n" + std::to_string(random_.below(ids_)); }

    void join() {
        MeshNode node = testing::node_with(some_id(), 1 + random_.below(14), 0.5 + random_.uniform());
        if (random_.chance(0.1)) node.max_layers = static_cast<std::uint32_t>(random_.below(6));
        Range holds;
        // One that was there before still has what it had, and says so, unless it was started anew.
        if (const auto before = last_held_.find(node.id); before != last_held_.end() && random_.chance(0.5)) {
            node = before->second.first;
            holds = before->second.second;
            ++tally_.came_back;
        }
        std::vector<MeasuredLink> links;
        if (random_.chance(0.1)) links.push_back({node.id, some_id(), {random_.between(1ms, 90ms), 1}});
        drill_.to_load.erase(node.id);
        world_.nodes[node.id] = node;
        world_.accused.erase(node.id);
        world_.heard[node.id] = drill_.now;
        drill_.step(NodeJoined{node, links, holds});
    }
    void leave() {
        drill_.leave(some_id());
        EXPECT_GT(drill_.just<NodeLost>().size() + drill_.just<NodeUnknown>().size(), 0U);
    }
    void beat() {
        const std::string id = some_id();
        // These are silent for long, again and again.
        if ((id == "n1" || id == "n3") && random_.chance(0.9)) return;
        if (world_.nodes.contains(id)) world_.heard[id] = drill_.now;
        world_.accused.erase(id);
        drill_.step(Beat{id, random_.between(100us, 5ms), static_cast<std::uint32_t>(random_.below(4))});
    }
    void load() {
        if (drill_.to_load.empty()) return;
        const auto [node, range] =
            *std::next(drill_.to_load.begin(), static_cast<std::ptrdiff_t>(random_.below(drill_.to_load.size())));
        drill_.to_load.erase(node);
        if (random_.chance(0.02)) {
            drill_.step(LoadFailed{node});
            return;
        }
        last_held_[node] = {world_.nodes.at(node), range};
        drill_.step(LayersLoaded{node, range});
    }
    /// Started anew, with a part of what it held or nothing.
    void lose_layers() {
        const std::string id = some_id();
        const auto node = drill_.crew.roster().find(id);
        if (!node) return;
        const Range held = drill_.crew.roster().held(*node);
        const auto first = static_cast<Layer>(held.first + random_.below(held.size() + 1));
        last_held_.erase(id);
        drill_.step(LayersLost{id, {first, static_cast<Layer>(first + random_.below(held.end - first + 1))}});
    }
    void ask() {
        const RequestId id(++asked_);
        world_.open.emplace(id, false);
        drill_.step(RequestAsked{id, static_cast<Level>(random_.below(4)),
                                 static_cast<std::uint32_t>(random_.below(900)),
                                 static_cast<std::uint32_t>(random_.below(400))});
    }
    void ask_again() {
        if (world_.open.empty()) return;
        asked_again_ = some_request();
        drill_.step(RequestAsked{asked_again_});
    }
    RequestId some_request() {
        const auto after = world_.open.lower_bound(RequestId(asked_ - std::min(asked_, random_.below(40))));
        return after == world_.open.end() ? world_.open.begin()->first : after->first;
    }
    void end(RequestId id) {
        world_.open.erase(id);
        ++ended_;
        drill_.step(RequestEnded{id});
    }
    void end_one() {
        if (!world_.open.empty()) end(some_request());
    }
    void fail_stage() {
        if (world_.open.empty()) return;
        const RequestId id = some_request();
        const auto& route = drill_.crew.requests().at(id).route;
        const bool one_of_it = route && random_.chance(0.7);
        const std::string node = one_of_it ? drill_.crew.id_of(route->stages.back().node) : some_id();
        if (route && std::any_of(route->stages.begin(), route->stages.end(),
                                 [&](const Stage& stage) { return drill_.crew.id_of(stage.node) == node; }))
            world_.accused[node][id] = drill_.now;
        drill_.step(StageFailed{id, node});
    }
    void measure_link() { drill_.step(LinkMeasured{{some_id(), some_id(), {random_.between(1ms, 90ms), 1}}}); }

    /// What was said must make sense to a world that knows nothing else.
    void heed() {
        for (const CrewEffect& effect : drill_.said) {
            ++tally_.effects[effect.index()];
            std::visit([&](const auto& each) { heed(each); }, effect);
        }
        drill_.said.clear();
        drill_.all.clear();
    }
    void heed(const LoadLayers& load) {
        ASSERT_TRUE(world_.nodes.contains(load.node)) << load.node;
        EXPECT_LE(testing::bytes_of(load.range), world_.weight_room(load.node)) << load.node;
        EXPECT_TRUE(testing::lies_in(load.keep, load.range));
        if (load.range.empty()) last_held_.erase(load.node);
    }
    void heed(const NodeLost& lost) {
        // One that joined again was lost before it joined.
        if (drill_.crew.roster().find(lost.node)) return;
        world_.nodes.erase(lost.node);
        world_.heard.erase(lost.node);
        world_.accused.erase(lost.node);
    }
    void heed(const RouteGiven& given) {
        const auto open = world_.open.find(given.request);
        ASSERT_TRUE(open != world_.open.end());
        EXPECT_TRUE(!open->second || given.request == asked_again_) << "given twice";
        open->second = true;
    }
    void heed(const RequestRerouted& given) { EXPECT_TRUE(world_.open.at(given.request)); }
    void heed(const RequestParked& parked) { EXPECT_TRUE(world_.open.at(parked.request)); }
    void heed(const RequestRefused& refused) {
        EXPECT_FALSE(world_.open.at(refused.request));
        close(refused.request, refused.why, refused.reason);
    }
    void heed(const RequestFailed& failed) {
        EXPECT_TRUE(world_.open.at(failed.request));
        close(failed.request, failed.why, failed.reason);
    }
    void close(RequestId id, Denial why, const std::string& reason) {
        EXPECT_EQ(world_.open.erase(id), 1U) << "ended twice";
        EXPECT_FALSE(reason.empty());
        ++tally_.denials[static_cast<std::size_t>(why)];
        ++ended_;
    }
    void heed(const NodeUnknown& unknown) { EXPECT_FALSE(world_.nodes.contains(unknown.node)) << unknown.node; }
    void heed(const NodeRefused& refused) { ADD_FAILURE() << refused.node << ": " << refused.reason; }
    void heed(const Rebalanced& said) { ++tally_.plans[static_cast<std::size_t>(said.plan)]; }
    void heed(const WakeAt& wake) { EXPECT_GE(wake.at, kStart); }

    void recount() {
        drill_.step(Tick{});
        heed();
        const Seen seen(drill_.crew);
        for (const Seen::Node& node : seen.nodes) tally_.shunned += node.shunned ? 1 : 0;
        const auto breach = testing::recount(seen, world_);
        EXPECT_FALSE(breach) << *breach;
    }

    Random random_;
    std::uint64_t ids_;
    Drill drill_;
    World world_;
    std::map<std::string, std::pair<MeshNode, Range>> last_held_;
    std::uint64_t asked_ = 0;
    RequestId asked_again_;
    std::uint64_t ended_ = 0;
    Tally tally_;
};

CrewSettings hurried(const std::string& allocation, const std::string& routing) {
    CrewSettings settings;
    settings.allocation_strategy = allocation;
    settings.routing_strategy = routing;
    settings.heartbeat_timeout = 30s;
    settings.drain_for = 5s;
    settings.patience = 10s;
    settings.request_timeout = 40s;
    settings.most_waiting = 6;
    settings.most_reroutes = 2;
    settings.rest = 10s;
    settings.load_timeout = 20s;
    settings.search_steps = 1'000;
    return settings;
}

/// Long requests: memory for keys and values is what limits them.
Ground long_ground() {
    Ground ground = testing::small_ground();
    ground.settings.max_concurrent = 16;
    ground.settings.max_sequence = 65'536;
    return ground;
}

/// Every way to share layers out, each with every routing, long requests and short ones. A few have many nodes, and
/// some share out in turns.
Churn churn_of(std::uint64_t seed) {
    const std::pair<const char*, std::optional<Objective>> allocations[] = {{"auto", {}},
                                                                            {"dp", {}},
                                                                            {"greedy", {}},
                                                                            {"search", {}},
                                                                            {"search", Objective::served},
                                                                            {"auto", Objective::served}};
    const auto& [allocation, objective] = allocations[seed / 12 % std::size(allocations)];
    CrewSettings settings = hurried(allocation, std::string(router_names()[seed % 3]));
    settings.objective = objective;
    if (seed % 5 == 0) settings.most_planned = 3;
    return Churn(seed, seed % 10 == 0 ? 16 : 7, settings, seed % 4 == 1 ? long_ground() : testing::small_ground());
}

void add(Tally& all, const Tally& more) {
    const auto add_each = [](auto& to, const auto& from) {
        std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
    };
    add_each(all.effects, more.effects);
    add_each(all.plans, more.plans);
    add_each(all.denials, more.denials);
    all.came_back += more.came_back;
    all.shunned += more.shunned;
}

/// Looking for what is served most takes long.
bool is_slow(const Churn& churn) {
    return churn.drill().crew.settings().objective.has_value();
}

TEST(CrewChurn, KeepsItsPromisesThroughAnything) {
    constexpr std::uint64_t kRuns = 72;  // each of what churn_of has to offer
    Tally all;
    for (std::uint64_t seed = 1; seed <= kRuns && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Churn churn = churn_of(seed);
        churn.run(is_slow(churn) ? 400 : 1'900);
        churn.finish();
        add(all, churn.tally());
    }
    // Whatever can happen did, or the promise would be an empty one. Only NodeRefused is for nonsense.
    all.effects[CrewEffect(NodeRefused{}).index()] = 1'000;
    for (std::size_t i = 0; i < all.effects.size(); ++i) EXPECT_GT(all.effects[i], 30U) << "effect " << i;
    for (std::size_t i = 0; i < all.plans.size(); ++i) EXPECT_GT(all.plans[i], 5U) << "plan " << i;
    for (std::size_t i = 0; i < all.denials.size(); ++i) EXPECT_GT(all.denials[i], 5U) << "denial " << i;
    EXPECT_GT(all.came_back, 30U);
    EXPECT_GT(all.shunned, 100U);
}

/// Beginnings are where most goes wrong, so many are drawn. SWITCHYARD_SEQUENCES says how many.
TEST(CrewChurn, KeepsItsPromisesFromTheStart) {
    const char* wished = std::getenv("SWITCHYARD_SEQUENCES");
    const std::uint64_t sequences = wished != nullptr ? std::strtoull(wished, nullptr, 10) : 300;
    Tally all;
    for (std::uint64_t seed = 1'000; seed < 1'000 + sequences && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Churn churn = churn_of(seed);
        churn.run(60 + seed % 100);
        churn.finish();
        add(all, churn.tally());
    }
    EXPECT_GT(all.effects[CrewEffect(RouteGiven{}).index()], sequences);
}

TEST(CrewChurn, GoesTheSameWayTwice) {
    Churn one = churn_of(7);
    Churn other = churn_of(7);
    one.run(1'000);
    other.run(1'000);
    EXPECT_EQ(one.tally(), other.tally());
    EXPECT_EQ(one.drill().wanted(), other.drill().wanted());
}

/// A churn that stops while requests are under way and somebody loads.
Churn midway() {
    for (std::uint64_t seed = 1;; ++seed) {
        Churn churn = churn_of(4 * seed + 1);
        churn.run(300);
        const Crew& crew = churn.drill().crew;
        if (crew.running_count() > 2 && crew.waiting_count() > 0 && crew.is_servable()) return churn;
    }
}

TEST(CrewRecount, NoticesWhateverIsSpoilt) {
    const Churn churn = midway();
    const Seen good(churn.drill().crew);
    ASSERT_FALSE(testing::recount(good, churn.world()));
    const auto server = std::find_if(good.nodes.begin(), good.nodes.end(),
                                     [](const Seen::Node& n) { return n.member.serving && n.in_flight > 0; });
    ASSERT_TRUE(server != good.nodes.end());
    const auto at = static_cast<std::size_t>(server - good.nodes.begin());
    const auto runs = [](auto& each) { return each.second.route.has_value(); };
    const auto request = [&](Seen& seen) -> Crew::Request& {
        return std::find_if(seen.requests.begin(), seen.requests.end(), runs)->second;
    };
    const std::pair<const char*, std::function<void(Seen&)>> spoils[] = {
        {"load not given back", [&](Seen& seen) { ++seen.nodes[at].in_flight; }},
        {"load not counted", [&](Seen& seen) { --seen.nodes[at].in_flight; }},
        {"ghost", [&](Seen& seen) { seen.nodes[at].member.id.clear(); }},
        {"stranger", [&](Seen& seen) { seen.nodes[at].member.id = "stranger"; }},
        {"silent", [&](Seen& seen) { seen.now += 1h; }},
        {"memory",
         [&](Seen& seen) {
             seen.nodes[at].wanted = {0, 12'000};
         }},
        {"embedding",
         [&](Seen& seen) {
             seen.nodes[at].member.loading = {0, 40};
         }},
        {"shunned for nothing",
         [&](Seen& seen) {
             seen.nodes[at].shunned = true;
             seen.nodes[at].routed = {};
         }},
        {"routed", [&](Seen& seen) { seen.nodes[at].routed = {}; }},
        {"not serving", [&](Seen& seen) { seen.nodes[at].member.serving = false; }},
        {"lost request", [&](Seen& seen) { seen.requests.erase(seen.requests.begin()); }},
        {"gap", [&](Seen& seen) { ++request(seen).route->stages.front().range.first; }},
        {"end", [&](Seen& seen) { request(seen).route->stages.pop_back(); }},
        {"way", [&](Seen& seen) { request(seen).had_way = false; }},
        {"running", [&](Seen& seen) { ++seen.running; }},
        {"waiting", [&](Seen& seen) { --seen.waiting; }},
        {"layer loads",
         [&](Seen& seen) {
             seen.serving.add(seen.costs, static_cast<NodeIndex>(at), {0, 1});
         }},
        {"wanted loads",
         [&](Seen& seen) { seen.wanted.remove(seen.costs, static_cast<NodeIndex>(at), seen.nodes[at].wanted); }},
    };
    for (const auto& [name, spoil] : spoils) {
        Seen spoilt = good;
        spoil(spoilt);
        EXPECT_TRUE(testing::recount(spoilt, churn.world())) << name;
    }
    World tight = churn.world();
    tight.cache_per_layer *= 1'000;
    EXPECT_TRUE(testing::recount(good, tight));
    tight = churn.world();
    tight.most_requests = 0;
    EXPECT_TRUE(testing::recount(good, tight));
}

TEST(CrewOrder, NodesThatJoinTogetherEndUpAlikeInAnyOrderAndAlsoAfterOneLeaves) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        std::vector<MeshNode> nodes;
        const std::uint64_t makes = 1 + random.below(3);
        for (std::uint64_t n = 3 + random.below(6); n > 0; --n) {
            const std::uint64_t make = random.below(makes);
            nodes.push_back(testing::node_with("n" + std::to_string(n), 5 + 2 * make, 1 + static_cast<double>(make)));
        }
        Drill one;
        one.start(nodes);
        const std::string gone = nodes[random.below(nodes.size())].id;
        for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random.below(i)]);
        Drill other;
        other.start(nodes);
        EXPECT_EQ(one.wanted(), other.wanted());
        one.leave(gone);
        other.leave(gone);
        EXPECT_EQ(one.wanted(), other.wanted());
    }
}

}  // namespace
}  // namespace sy::pipeline
