// Problem: find which nodes have equal hops to everybody, in time linear in the known links: a mesh of a thousand nodes
// may have a million.
//
// Choice: every node gets a sum of hashes, one for each of its links, of the other end, the direction and the time.
// Links that cost what unknown ones cost add nothing. Two nodes of a region see each other where the other sees
// itself, so each also counts a link to itself, as quick as its quickest: in a region the near ones are quickest.
// Nodes with equal sums form a region. A wrong guess makes regions too small or too large, and then hops are bounds
// that are not met; that they are bounds is counted from the links themselves.
#include "core/pipeline/route/regions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

namespace {

std::uint64_t hashed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t z = (a + 0x9E37'79B9'7F4A'7C15) ^ (b * 0xD6E8'FEB8'6659'FD93);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
}

bool between_nodes(const Hops::Known& link) {
    return link.from != kClient && link.to != kClient && link.from != link.to;
}

std::vector<std::uint64_t> sums_of_links(const Hops& hops, NodeIndex nodes) {
    std::vector<std::uint64_t> sums(nodes);
    std::vector<Duration> quickest(nodes, hops.otherwise().time);
    const auto add = [&](NodeIndex at, NodeIndex other, bool out, Duration time) {
        if (time != hops.otherwise().time)
            sums[at] += hashed(2 * std::uint64_t{other} + (out ? 1 : 0), static_cast<std::uint64_t>(time.count()));
    };
    for (const Hops::Known& link : hops.known()) {
        if (!between_nodes(link)) continue;
        add(link.from, link.to, true, link.hop.time);
        add(link.to, link.from, false, link.hop.time);
        quickest[link.from] = std::min(quickest[link.from], link.hop.time);
        quickest[link.to] = std::min(quickest[link.to], link.hop.time);
    }
    for (NodeIndex node = 0; node < nodes; ++node) {
        if (sums[node] == 0) continue;
        add(node, node, true, quickest[node]);
        add(node, node, false, quickest[node]);
    }
    return sums;
}

}  // namespace

Regions::Regions(const Hops& hops) {
    if (!hops.uniform()) assign(hops);
    sizes_.assign(count_, 0);
    for (const std::uint32_t region : of_) ++sizes_[region];
    find_hops(hops);
}

void Regions::assign(const Hops& hops) {
    NodeIndex nodes = 0;
    for (const Hops::Known& link : hops.known())
        if (between_nodes(link)) nodes = std::max({nodes, link.from + 1, link.to + 1});
    const std::vector<std::uint64_t> sums = sums_of_links(hops, nodes);
    std::map<std::uint64_t, std::vector<NodeIndex>> alike;
    for (NodeIndex node = 0; node < nodes; ++node)
        if (sums[node] != 0) alike[sums[node]].push_back(node);
    std::vector<std::vector<NodeIndex>> groups;
    for (auto& [sum, members] : alike) groups.push_back(std::move(members));
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
    });
    few_ = groups.size() < kMost && groups.size() * kCompany <= nodes;
    of_.assign(nodes, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto region = static_cast<std::uint32_t>(std::min<std::size_t>(g + 1, kMost - 1));
        for (const NodeIndex node : groups[g]) of_[node] = region;
        count_ = region + 1;
    }
}

void Regions::find_hops(const Hops& hops) {
    const Duration otherwise = std::clamp(hops.otherwise().time, Duration{}, Shards::kLongest);
    hops_.assign(std::size_t{count_} * count_, Shards::kLongest);
    std::vector<std::uint64_t> known(hops_.size());
    for (const Hops::Known& link : hops.known()) {
        if (!between_nodes(link)) continue;
        const std::size_t pair = std::size_t{of(link.from)} * count_ + of(link.to);
        ++known[pair];
        hops_[pair] = std::min(hops_[pair], std::max(link.hop.time, Duration{}));
    }
    for (std::uint32_t a = 0; a < count_; ++a)
        for (std::uint32_t b = 0; b < count_; ++b) {
            // There may be any number of nodes in region 0.
            const std::uint64_t pairs =
                sizes_[a] * (a == b ? sizes_[b] - std::min<std::uint64_t>(1, sizes_[b]) : sizes_[b]);
            const std::size_t pair = std::size_t{a} * count_ + b;
            if (a == 0 || b == 0 || known[pair] < pairs) hops_[pair] = std::min(hops_[pair], otherwise);
        }
}

}  // namespace sy::pipeline
