#include "simulate/naive_place.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace sy::naive {

namespace {

constexpr std::size_t kGpus = 0;

template <class T>
std::uint64_t limit_of(T said) {
    return said == std::numeric_limits<T>::max() ? kUnlimited : said;
}

Amount capacity_of(const NodeSpec& node) {
    return {node.gpus, limit_of(node.cpus), limit_of(node.host_memory.value()), limit_of(node.network.value())};
}

/// all × part / whole, rounded up, without leaving 64 bits.
std::uint64_t share(std::uint64_t all, std::uint64_t part, std::uint64_t whole) {
    return all / whole * part + (all % whole * part + whole - 1) / whole;
}

/// What a job needs where it has `gpus` of its GPUs.
Amount need_of(const Demand& demand, std::uint64_t gpus) {
    return {gpus, share(demand.cpus, gpus, demand.gpus), share(demand.host_memory.value(), gpus, demand.gpus),
            share(demand.network.value(), gpus, demand.gpus)};
}

bool covers(const Amount& free, const Amount& need) {
    for (std::size_t i = 0; i < need.size(); ++i)
        if (free[i] < need[i]) return false;
    return true;
}

/// Where the first so many free slots in a row begin.
std::optional<std::size_t> first_run(const std::vector<bool>& slots, std::uint64_t length) {
    for (std::size_t first = 0; first + length <= slots.size(); ++first)
        if (std::all_of(slots.begin() + static_cast<std::ptrdiff_t>(first),
                        slots.begin() + static_cast<std::ptrdiff_t>(first + length), [](bool free) { return free; }))
            return first;
    return std::nullopt;
}

bool covers(const Free& free, const Amount& need) {
    return covers(free.amount, need) && (free.slots.empty() || first_run(free.slots, need[kGpus]));
}

Part part_of(const Room& room, std::size_t node, const Amount& need) {
    return {node, need, room[node].slots.empty() ? 0 : *first_run(room[node].slots, need[kGpus])};
}

bool is_wholly_free(const Cluster& cluster, const Room& room, std::size_t node) {
    return room[node].amount[kGpus] == cluster.capacity[node].amount[kGpus];
}

std::uint64_t largest_node(const Cluster& cluster) {
    std::uint64_t largest = 0;
    for (const Free& node : cluster.capacity) largest = std::max(largest, node.amount[kGpus]);
    return largest;
}

/// What would be left as fractions of what the node has, added up in the order of Amount.
double leftover(const Amount& capacity, const Amount& free, const Amount& need) {
    double sum = 0;
    for (std::size_t i = 0; i < capacity.size(); ++i)
        if (capacity[i] != kUnlimited && capacity[i] > 0)
            sum += static_cast<double>(free[i] - need[i]) / static_cast<double>(capacity[i]);
    return sum;
}

/// GPUs that nobody of those who came so far could use, were they to come again.
std::int64_t fragmentation(const Cluster& cluster, std::size_t node, std::uint64_t free) {
    const std::uint64_t size = cluster.capacity[node].amount[kGpus];
    std::int64_t sum = 0;
    for (const auto& [gang, count] : cluster.gangs) {
        const std::uint64_t waste = gang <= size ? free % gang : free == size ? 0 : free;
        sum += count * static_cast<std::int64_t>(waste);
    }
    return sum;
}

/// True where the placement likes node a better than b, both of which have room. Equals are left to the lower index.
bool is_better(const Cluster& cluster, const Room& room, const Amount& need, std::size_t a, std::size_t b) {
    const std::uint64_t free_a = room[a].amount[kGpus];
    const std::uint64_t free_b = room[b].amount[kGpus];
    if (cluster.placement == "first-fit") return false;
    if (cluster.placement == "spread") return free_a > free_b;
    if (cluster.placement == "best-fit")
        return leftover(cluster.capacity[a].amount, room[a].amount, need) <
               leftover(cluster.capacity[b].amount, room[b].amount, need);
    if (cluster.placement == "fragmentation") {
        const auto growth = [&](std::size_t node, std::uint64_t free) {
            return fragmentation(cluster, node, free - need[kGpus]) - fragmentation(cluster, node, free);
        };
        const std::int64_t growth_a = growth(a, free_a);
        const std::int64_t growth_b = growth(b, free_b);
        if (growth_a != growth_b) return growth_a < growth_b;
    }
    return free_a < free_b;
}

using Better = std::function<bool(std::size_t, std::size_t)>;

/// The best node, not yet in `taken`, that covers the need; of equals the first.
std::optional<std::size_t> best_node(const Room& room, const Amount& need, const Place& taken, const Better& better) {
    std::optional<std::size_t> best;
    for (std::size_t node = 0; node < room.size(); ++node) {
        const auto is_here = [&](const Part& part) { return part.node == node; };
        if (!covers(room[node], need) || std::any_of(taken.begin(), taken.end(), is_here)) continue;
        if (!best || better(node, *best)) best = node;
    }
    return best;
}

std::optional<Place> on_one_node(const Cluster& cluster, const Room& room, const Demand& demand) {
    const Amount need = need_of(demand, demand.gpus);
    const auto node =
        best_node(room, need, {}, [&](std::size_t a, std::size_t b) { return is_better(cluster, room, need, a, b); });
    if (!node) return std::nullopt;
    return Place{part_of(room, *node, need)};
}

/// Wholly free nodes by index while more than fits on one is missing, then the rest where most is free.
std::optional<Place> on_many_nodes(const Cluster& cluster, const Room& room, const Demand& demand) {
    Place place;
    std::uint64_t missing = demand.gpus;
    for (std::size_t node = 0; node < room.size() && missing >= largest_node(cluster); ++node) {
        const std::uint64_t size = cluster.capacity[node].amount[kGpus];
        const Amount need = need_of(demand, size);
        if (size == 0 || !is_wholly_free(cluster, room, node) || !covers(room[node], need)) continue;
        place.push_back(part_of(room, node, need));
        missing -= size;
    }
    if (missing >= largest_node(cluster)) return std::nullopt;
    if (missing == 0) return place;
    const Amount rest = need_of(demand, missing);
    const auto most_free = [&](std::size_t a, std::size_t b) { return room[a].amount[kGpus] > room[b].amount[kGpus]; };
    const auto node = best_node(room, rest, place, most_free);
    if (!node) return std::nullopt;
    place.push_back(part_of(room, *node, rest));
    return place;
}

}  // namespace

Cluster make_cluster(const std::vector<NodeSpec>& nodes, const std::string& placement, bool neighbours) {
    Cluster cluster{{}, placement, {}, {}};
    for (const NodeSpec& node : nodes)
        cluster.capacity.push_back({capacity_of(node), std::vector<bool>(neighbours ? node.gpus : 0, true)});
    const std::vector<std::string> known{"count", "consolidate", "spread", "best-fit", "first-fit", "fragmentation"};
    SY_CHECK(std::count(known.begin(), known.end(), placement) == 1, "no placement is called {}", placement);
    if (placement != "count") return cluster;
    Amount pool{0, kUnlimited, kUnlimited, kUnlimited};
    for (const NodeSpec& node : nodes) pool[kGpus] += node.gpus;
    cluster.capacity = {{pool, {}}};
    return cluster;
}

Room available(const Cluster& cluster) {
    Room room = cluster.capacity;
    for (const std::size_t node : cluster.away)
        room[node] = {Amount{}, std::vector<bool>(room[node].slots.size(), false)};
    return room;
}

std::optional<Place> find_place(const Cluster& cluster, const Room& room, const Demand& demand) {
    return demand.gpus <= largest_node(cluster) ? on_one_node(cluster, room, demand)
                                                : on_many_nodes(cluster, room, demand);
}

bool holds(const Room& room, const Place& place) {
    for (const Part& part : place) {
        if (!covers(room[part.node].amount, part.amount)) return false;
        if (room[part.node].slots.empty()) continue;
        for (std::size_t i = 0; i < part.amount[kGpus]; ++i)
            if (!room[part.node].slots[part.first + i]) return false;
    }
    return true;
}

Room without(Room room, const Place& place) {
    for (const Part& part : place) {
        Free& node = room[part.node];
        for (std::size_t i = 0; i < part.amount.size(); ++i)
            if (node.amount[i] != kUnlimited) node.amount[i] -= std::min(node.amount[i], part.amount[i]);
        if (node.slots.empty()) continue;
        for (std::size_t i = 0; i < part.amount[kGpus]; ++i) node.slots[part.first + i] = false;
        node.amount[kGpus] = static_cast<std::uint64_t>(std::count(node.slots.begin(), node.slots.end(), true));
    }
    return room;
}

Room least(Room a, const Room& b) {
    for (std::size_t node = 0; node < a.size(); ++node) {
        Free& free = a[node];
        for (std::size_t i = 0; i < free.amount.size(); ++i)
            free.amount[i] = std::min(free.amount[i], b[node].amount[i]);
        if (free.slots.empty()) continue;
        for (std::size_t i = 0; i < free.slots.size(); ++i) free.slots[i] = free.slots[i] && b[node].slots[i];
        free.amount[kGpus] = static_cast<std::uint64_t>(std::count(free.slots.begin(), free.slots.end(), true));
    }
    return a;
}

}  // namespace sy::naive
