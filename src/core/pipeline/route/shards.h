// Shards: who holds which layers now, how quick they are, and how much is under way on each node and link.
//
// The ground that routers look at; it chooses nothing. A node holds one run of layers or none. A request in flight
// counts once on every node and every known link of its route, from begin() to end() (L2): what is counted here always
// equals a recount of the routes under way. A node that is dropped keeps its count until those requests are ended.
//
// Routers may keep tables between calls. For that each state has a version, and the last kRemembered changes of nodes
// can be asked for. Versions are made from all that happened before, so that another Shards is never taken for this
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/pipeline/costs.h"
#include "core/pipeline/route/regions.h"
#include "core/pipeline/route/route.h"

namespace sy::pipeline {

/// What one node holds and how it does with it.
struct Shard {
    Range range;
    Duration per_layer{};             ///< Of one step, measured where it was.
    std::uint32_t together = 1;       ///< Requests in one step.
    std::uint32_t most_requests = 1;  ///< That its memory for keys and values has room for.

    constexpr Duration step() const { return per_layer * range.size(); }
    friend bool operator==(const Shard&, const Shard&) = default;
};

/// What the costs say of a node that holds these layers.
Shard shard_of(const Costs& costs, NodeIndex node, Range range);

class Shards {
public:
    static constexpr Layer kMostLayers = 8'000;
    /// No step, wait or hop counts as longer, so that no sum of a whole route overflows.
    static constexpr Duration kLongest = 24h;
    static constexpr std::size_t kRemembered = 4'096;

    using LinkIndex = std::uint32_t;
    static constexpr LinkIndex kNoLink = std::numeric_limits<LinkIndex>::max();
    /// From the first up to, not with, the end.
    struct LinkSpan {
        LinkIndex first = 0;
        LinkIndex end = 0;
    };

    struct Version {
        std::uint64_t changes = 0;
        std::uint64_t stamp = 0;

        friend bool operator==(const Version&, const Version&) = default;
    };

    /// Of a node, and of the known link between nodes by which a request went there that began or ended.
    struct Change {
        NodeIndex node = 0;
        NodeIndex from = kClient;
        LinkIndex link = kNoLink;
        bool relieved = false;    ///< The link carries less than before, not more.
        std::uint64_t stamp = 0;  ///< Of all changes before it.
    };

    /// From 1 to kMostLayers of them.
    Shards(Layer layers, Hops hops);

    /// The node joins with these layers or holds these instead of others. O(1), but routers look at everything anew.
    void hold(NodeIndex node, const Shard& shard);
    /// It takes no further request.
    void drop(NodeIndex node);
    void measure(NodeIndex node, Duration per_layer);
    /// Other links; `under_way` are all routes begun and not ended.
    void relink(Hops hops, const std::vector<Route>& under_way);

    /// The request goes this way, or is over: its load is taken and given back at once. Nodes may have left since.
    void begin(const Route& route);
    void end(const Route& route);

    Layer layers() const { return layers_; }
    const Hops& hops() const { return hops_; }
    const Regions& regions() const { return regions_; }
    /// Nodes are below it.
    NodeIndex size() const { return static_cast<NodeIndex>(nodes_.size()); }
    bool holds(NodeIndex node) const { return node < nodes_.size() && !nodes_[node].shard.range.empty(); }
    const Shard& at(NodeIndex node) const { return nodes_[node].shard; }
    std::uint32_t in_flight(NodeIndex node) const { return nodes_[node].in_flight; }
    bool full(NodeIndex node) const { return nodes_[node].in_flight >= nodes_[node].shard.most_requests; }
    /// Requests there that a newcomer of this level does not overtake.
    std::uint32_t ahead(NodeIndex node, Level level) const;
    /// Until those ahead have had their part of the steps.
    Duration wait(NodeIndex node, Level level) const;
    /// With what is under way on the link, where it is a known one: each request ahead sends its token first (L11).
    Duration hop(NodeIndex from, NodeIndex to) const;
    std::uint32_t in_flight_between(NodeIndex from, NodeIndex to) const;
    /// Known links by their place in hops().known(): of one that leaves or enters the node, and of no other.
    LinkSpan links_from(NodeIndex node) const;
    std::span<const LinkIndex> links_into(NodeIndex node) const;
    /// A known one, or kNoLink.
    LinkIndex link(NodeIndex from, NodeIndex to) const;
    bool knows(NodeIndex from, NodeIndex to) const { return link(from, to) != kNoLink; }
    /// Of a known link: what hop() says where nothing is under way on it, and what there is adds to that.
    Duration idle_time(LinkIndex link) const;
    Duration delay(LinkIndex link) const { return delay(link, idle_time(link)); }
    /// For those who know its idle time: looking it up is most of what this costs where there are a million links.
    Duration delay(LinkIndex link, Duration idle) const { return in_use(link) ? delay_in_use(link, idle) : Duration{}; }
    /// Grows with every use: the smaller of two was left alone for longer.
    std::uint64_t last_used(NodeIndex node) const { return nodes_[node].last_used; }

    /// What stands in the way of these stages now: the first whose node holds its layers no more, or is full.
    std::optional<NoRoute> obstacle(const Pipeline& stages) const;
    bool passable(const Pipeline& stages) const { return !obstacle(stages); }
    /// Of one step; the nodes must hold these layers.
    Duration expected(const Pipeline& stages, Level level) const;
    /// What stands in every way: the first layers that nobody holds, or else that only full nodes hold.
    std::optional<NoRoute> obstacle() const;

    Version version() const { return {changes_, stamp_}; }
    /// Changes whenever somebody holds other layers or links are others; loads and measured times do not count.
    std::uint64_t shape() const { return shape_; }
    /// The state of that version was this one's, and what changed since can still be told.
    bool remembers(const Version& version) const;
    /// The n-th, n from a remembered version's `changes` up to that of the present one.
    const Change& change(std::uint64_t n) const { return recent_[n % kRemembered]; }

private:
    struct Node {
        Shard shard;
        std::array<std::uint32_t, 4> by_level{};
        std::uint32_t in_flight = 0;
        std::uint64_t last_used = 0;
    };
    struct LinkLoad {
        Duration token_time{};
        std::uint32_t requests = 0;
    };
    void count(const Route& route, int sign);
    void count_links(const Pipeline& stages);
    /// The link, or kNoLink where it is none of the known ones.
    LinkIndex add_link(NodeIndex from, NodeIndex to, int sign);
    bool in_use(LinkIndex link) const { return (in_use_[link / 64] >> (link % 64) & 1) != 0; }
    Duration delay_in_use(LinkIndex link, Duration idle) const;
    std::optional<Range> first_gap(bool without_full) const;
    Change& note(NodeIndex node, std::uint64_t what);
    void reshape(std::uint64_t what);
    void survey_links();
    void find_gapless();
    /// Given how many known links enter each node.
    void sort_by_end(std::vector<LinkIndex> entering);

    Layer layers_;
    Hops hops_;
    Regions regions_;
    Duration client_hop_{};
    std::vector<LinkIndex> links_from_;   ///< Where the known links of each node begin; behind all, the client's.
    std::vector<NodeIndex> gapless_;      ///< By node: it has links to all nodes up to this one, but itself.
    std::vector<LinkIndex> links_into_;   ///< All known links by the node they enter.
    std::vector<LinkIndex> into_begins_;  ///< Where those of each node begin in links_into_.
    std::vector<LinkLoad> loads_;         ///< Of each known link.
    std::vector<std::uint64_t> in_use_;   ///< A bit for each: there are a million, few in use, and bits stay at hand.
    std::vector<Node> nodes_;
    std::uint64_t uses_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t stamp_ = 0;
    std::uint64_t shape_ = 0;
    std::vector<Change> recent_;
};

}  // namespace sy::pipeline
