#include "core/pipeline/divide/team.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/wide.h"

namespace sy::pipeline {

namespace {

auto properties(const NodeCosts& n) {
    return std::tie(n.most_layers, n.cache_room, n.most_requests, n.time_before, n.measured_time, n.measured_rate);
}

/// All steps between neighbours are the same.
template <class Value>
bool linear(const std::vector<Value>& sums) {
    for (std::size_t l = 2; l < sums.size(); ++l)
        if (sums[l] - sums[l - 1] != sums[1] - sums[0]) return false;
    return true;
}

}  // namespace

Leap leap(const Costs& costs, NodeIndex from, NodeIndex to) {
    const Hop& hop = costs.hops.between(from, to);
    if (hop.rate >= kNoLimit) return {hop.time, Duration::zero()};
    if (hop.rate <= 0) return {hop.time, kEndless};
    const Wide tokens = Wide{costs.batch} * kTokenPerSecond * 1'000'000'000;
    const Wide period = (tokens + hop.rate - 1) / hop.rate;
    return {hop.time, Duration(static_cast<std::int64_t>(std::min<Wide>(kEndless.count(), period)))};
}

bool same_node(const NodeCosts& a, const NodeCosts& b) {
    return a == b;
}

bool comes_before(const NodeCosts& a, const NodeCosts& b) {
    return a.room != b.room ? a.room > b.room : properties(a) < properties(b);
}

std::vector<NodeIndex> ranked(const Costs& costs) {
    std::vector<std::vector<std::tuple<bool, Duration, Rate>>> hops(costs.nodes.size());
    for (const Hops::Known& known : costs.hops.known()) {
        if (known.from < hops.size()) hops[known.from].emplace_back(true, known.hop.time, known.hop.rate);
        if (known.to < hops.size()) hops[known.to].emplace_back(false, known.hop.time, known.hop.rate);
    }
    for (auto& each : hops) std::sort(each.begin(), each.end());
    std::vector<NodeIndex> order(costs.nodes.size());
    std::iota(order.begin(), order.end(), NodeIndex{0});
    std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        if (comes_before(costs.nodes[a], costs.nodes[b])) return true;
        if (comes_before(costs.nodes[b], costs.nodes[a])) return false;
        return std::tie(hops[a], a) < std::tie(hops[b], b);
    });
    return order;
}

bool equal_layers(const Costs& costs, const std::vector<NodeIndex>& nodes) {
    return linear(costs.bytes_before) && std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex n) {
               return !costs.nodes[n].measured_time.empty() || linear(costs.nodes[n].time_before);
           });
}

Team::Team(const Costs& costs, const std::vector<NodeIndex>& nodes)
    : costs_(&costs), nodes_(nodes), equal_layers_(pipeline::equal_layers(costs, nodes)) {
    const std::size_t n = nodes.size();
    std::vector<std::vector<Leap>> from(n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) from[a].push_back(a == b ? Leap{} : leap(costs, nodes[a], nodes[b]));
    // Two that are alike but for where they stand are told apart by how far all others are.
    std::vector<std::vector<Leap>> sorted = from;
    for (auto& row : sorted) std::sort(row.begin(), row.end());
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const NodeCosts& first = costs.nodes[nodes[a]];
        const NodeCosts& second = costs.nodes[nodes[b]];
        if (comes_before(first, second)) return true;
        if (comes_before(second, first)) return false;
        return std::tie(sorted[a], nodes[a]) < std::tie(sorted[b], nodes[b]);
    });
    leaps_.resize((n + 1) * (n + 1));
    for (std::size_t a = 0; a < n; ++a) {
        nodes_[a] = nodes[order[a]];
        for (std::size_t b = 0; b < n; ++b) leaps_[a * (n + 1) + b] = from[order[a]][order[b]];
        leaps_[a * (n + 1) + n] = leap(costs, nodes_[a], kClient);
        leaps_[n * (n + 1) + a] = leap(costs, kClient, nodes_[a]);
    }
    if (n < 2) return;
    least_ = between(0, 1);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
            if (a == b) continue;
            even_ = even_ && between(a, b) == between(0, 1);
            least_.time = std::min(least_.time, between(a, b).time);
            least_.period = std::min(least_.period, between(a, b).period);
        }
}

bool Team::alike(std::size_t a, std::size_t b) const {
    if (a == b) return true;
    if (!same_node(numbers(a), numbers(b)) || between(a, b) != between(b, a)) return false;
    if (even_) return between(a, client()) == between(b, client()) && between(client(), a) == between(client(), b);
    for (std::size_t c = 0; c <= size(); ++c)
        if (c != a && c != b && (between(a, c) != between(b, c) || between(c, a) != between(c, b))) return false;
    return true;
}

}  // namespace sy::pipeline
