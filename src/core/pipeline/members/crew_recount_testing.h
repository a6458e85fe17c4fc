// A recount of everything a crew counts, by code that shares nothing with it but its costs.
//
// It looks at a copy, so that a test can spoil one and see that the recount notices.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/pipeline/members/crew_testing.h"

namespace sy::pipeline::testing {

/// What a crew says of itself.
struct Seen {
    struct Node {
        Member member;
        Range held;
        Range wanted;
        Range routed;  ///< What routers may use.
        std::uint32_t in_flight = 0;
        bool shunned = false;  ///< Serves, and routers may not use it all the same.
    };
    explicit Seen(const Crew& crew)
        : now(crew.now()),
          costs(crew.roster().costs()),
          serving(crew.serving()),
          wanted(crew.wanted()),
          requests(crew.requests()),
          running(crew.running_count()),
          waiting(crew.waiting_count()) {
        for (NodeIndex n = 0; n < crew.roster().size(); ++n) {
            const bool known = n < crew.shards().size();
            nodes.push_back({crew.roster().at(n), crew.roster().held(n), crew.roster().wanted(n),
                             known ? crew.shards().at(n).range : Range{}, known ? crew.shards().in_flight(n) : 0,
                             crew.is_shunned(n)});
        }
    }

    Instant now;
    Costs costs;
    LayerLoads serving;
    LayerLoads wanted;
    std::map<RequestId, Crew::Request> requests;
    std::size_t running;
    std::size_t waiting;
    std::vector<Node> nodes;
};

/// What the world outside knows: who lives, who asked and has not ended.
struct World {
    std::map<std::string, MeshNode> nodes;
    std::map<std::string, Instant> heard;
    std::map<RequestId, bool> open;                               ///< And whether it had a way.
    std::map<std::string, std::map<RequestId, Instant>> accused;  ///< By node: who called it failed since it was heard.
    Duration heartbeat_timeout{};
    Duration suspicion{};
    std::size_t enough_reports = 0;
    std::uint64_t cache_per_layer = 0;  ///< Bytes of one request.
    std::uint32_t most_requests = 0;

    std::uint64_t weight_room(const std::string& id) const { return nodes.at(id).memory.value() / 2; }
    std::uint64_t cache_room(const std::string& id) const { return nodes.at(id).memory.value() * 3 / 10; }
};

inline std::uint64_t bytes_of(Range range) {
    return range.empty() ? 0 : range.size() * kGb + (range.first == 0 ? kGb / 2 : 0) + (range.end == 12 ? kGb / 2 : 0);
}

inline bool lies_in(Range inner, Range outer) {
    return inner.empty() || (outer.first <= inner.first && inner.end <= outer.end);
}

inline std::optional<std::string> breach_of_node(const Seen& seen, const World& world, const Seen::Node& node) {
    const Member& member = node.member;
    const std::string& id = member.id;
    if (id.empty()) {
        if (!node.held.empty() || !node.wanted.empty() || !node.routed.empty()) return "a ghost";
        return {};
    }
    if (!world.nodes.contains(id)) return id + " is not there";
    if (seen.now - world.heard.at(id) >= world.heartbeat_timeout) return id + " was silent for too long";
    for (const Range range : {node.held, node.wanted, member.loading}) {
        if (bytes_of(range) > world.weight_room(id)) return id + " has no room for its layers";
        if (range.size() > world.nodes.at(id).max_layers.value_or(12)) return id + " has more layers than it may";
    }
    if (!member.loading.empty() && !lies_in(node.held, member.loading)) return id + " loads beside what it keeps";
    if (member.serving != (node.shunned || !node.routed.empty()))
        return id + " is routed to and does not serve, or the reverse";
    if (node.shunned && !node.routed.empty()) return id + " is shunned and routed to";
    if (member.serving && !node.shunned && node.routed != node.held) return id + " is routed to for layers it has not";
    return {};
}

inline std::optional<std::string> breach_of_requests(const Seen& seen, const World& world) {
    std::vector<std::uint32_t> in_flight(seen.nodes.size());
    std::vector<std::uint64_t> cache(seen.nodes.size());
    std::size_t running = 0;
    if (seen.requests.size() != world.open.size()) return "requests were lost or made up";
    for (const auto& [id, request] : seen.requests) {
        const std::string name = fmt::format("request {}", id.value());
        const auto known = world.open.find(id);
        if (known == world.open.end()) return name + " is not there";
        if (known->second != request.had_way) return name + " had a way or not";
        if (!request.route) continue;
        ++running;
        Layer reached = 0;
        for (const auto& [node, range] : request.route->stages) {
            if (range.first != reached || range.empty()) return name + " has a gap in its way";
            reached = range.end;
            if (node >= seen.nodes.size() || seen.nodes[node].member.id.empty()) return name + " goes through a ghost";
            if (!lies_in(range, seen.nodes[node].held)) return name + " goes through layers that are gone";
            ++in_flight[node];
            cache[node] += world.cache_per_layer * range.size();
        }
        if (reached != 12) return name + " does not reach the end";
    }
    if (running != seen.running || seen.requests.size() - running != seen.waiting) return "who runs and waits";
    for (std::size_t n = 0; n < seen.nodes.size(); ++n) {
        const std::string& id = seen.nodes[n].member.id;
        if (in_flight[n] != seen.nodes[n].in_flight) return id + " counts others than go through it";
        if (in_flight[n] > world.most_requests) return id + " has more requests than it may";
        if (in_flight[n] > 0 && cache[n] > world.cache_room(id)) return id + " has no room for keys and values";
    }
    return {};
}

inline std::optional<std::string> breach_of_loads(const Seen& seen) {
    const auto differ = [&](const LayerLoads& said, const auto& range_of) {
        for (Layer l = 0; l < 12; ++l) {
            Capacity sum;
            std::uint32_t holders = 0;
            for (NodeIndex n = 0; n < seen.nodes.size(); ++n) {
                const Range range = range_of(seen.nodes[n]);
                if (l < range.first || l >= range.end) continue;
                sum.rate += seen.costs.rate(n, range);
                sum.requests += seen.costs.requests(n, range);
                ++holders;
            }
            if (said.holders(l) != holders || said.capacity(l) != sum) return true;
        }
        return false;
    };
    if (differ(seen.serving, [](const Seen::Node& n) { return n.member.serving ? n.held : Range{}; }))
        return "loads of who serves";
    if (differ(seen.wanted, [](const Seen::Node& n) { return n.wanted; })) return "loads of who should";
    return {};
}

/// Nobody is shunned whom nobody accused, or for longer than it took to beat, and no layer is without somebody to go to
/// unless enough requests said so.
inline std::optional<std::string> breach_of_trust(const Seen& seen, const World& world) {
    for (const Seen::Node& node : seen.nodes) {
        if (!node.shunned) continue;
        const std::string& id = node.member.id;
        const auto accused = world.accused.find(id);
        if (accused == world.accused.end() || accused->second.empty()) return id + " is shunned for nothing";
        Instant last = kStart;
        for (const auto& [request, at] : accused->second) last = std::max(last, at);
        if (seen.now - last >= world.suspicion) return id + " is shunned for too long";
        if (accused->second.size() >= world.enough_reports) continue;
        for (Layer l = node.held.first; l < node.held.end; ++l) {
            const bool others = std::any_of(seen.nodes.begin(), seen.nodes.end(), [&](const Seen::Node& n) {
                return n.routed.first <= l && l < n.routed.end;
            });
            if (!others) return id + " is shunned where it is the only way";
        }
    }
    return {};
}

/// What is wrong, or nothing.
inline std::optional<std::string> recount(const Seen& seen, const World& world) {
    std::size_t there = 0;
    for (const Seen::Node& node : seen.nodes) {
        if (auto breach = breach_of_node(seen, world, node)) return breach;
        there += node.member.id.empty() ? 0U : 1U;
    }
    if (there != world.nodes.size()) return "somebody is missing";
    if (auto breach = breach_of_requests(seen, world)) return breach;
    if (auto breach = breach_of_trust(seen, world)) return breach;
    return breach_of_loads(seen);
}

}  // namespace sy::pipeline::testing
