#include "simulate/drawn.h"

#include <algorithm>
#include <string>

#include "simulate/naive_place.h"

namespace sy::naive {

namespace {

template <class T>
T any_of(Random& random, const std::vector<T>& items) {
    return items[random.below(items.size())];
}

std::uint32_t small(Random& random, std::uint32_t most) {
    return static_cast<std::uint32_t>(random.below(most + 1U));
}

/// Few values, so that they meet.
Duration drawn_length(Random& random, const Shape& shape) {
    if (shape.zero_lengths && random.chance(0.08)) return 0ns;
    if (shape.fractions && random.chance(0.2))
        return any_of<Duration>(random, {1ns, 999ns, 250ms, 500ms, 1500ms, 333'333'333ns, 2'000'000'001ns});
    if (random.chance(0.1)) return std::chrono::seconds(random.between(7, 20));
    return std::chrono::seconds(random.between(1, 4));
}

Duration drawn_estimate(Random& random, const Shape& shape, Duration length) {
    if (!shape.estimates || random.chance(0.4)) return 0ns;
    switch (random.below(4)) {
        case 0: return length;
        case 1: return length / 2;
        case 2: return length * 2 + 1s;
        default: return std::chrono::seconds(random.between(1, 6));
    }
}

Instant drawn_submit(Random& random, const Shape& shape, std::int64_t span) {
    const Instant whole = kStart + std::chrono::seconds(random.between(0, span));
    if (!shape.fractions || random.chance(0.8)) return whole;
    return whole + any_of<Duration>(random, {1ns, 250ms, 500ms, 333'333'333ns});
}

GpuCount drawn_gang(Random& random, const Shape& shape, GpuCount node, GpuCount all) {
    if (!shape.gangs || random.chance(0.3)) return 1;
    if (random.chance(0.4)) return std::min(node, GpuCount{1} << small(random, 3));
    if (random.chance(0.7)) return 1 + small(random, node - 1);
    return 1 + small(random, all - 1);
}

Demand drawn_demand(Random& random, const Shape& shape, GpuCount node, GpuCount all) {
    Demand demand{.gpus = drawn_gang(random, shape, node, all)};
    if (!shape.resources || random.chance(0.3)) return demand;
    demand.cpus = small(random, 3 * demand.gpus);
    if (random.chance(0.5)) demand.host_memory = Bytes(small(random, 20 * demand.gpus));
    if (random.chance(0.3)) demand.network = Bytes(small(random, 2 * demand.gpus));
    return demand;
}

/// Drawn again until it can be placed; whether it can is the same question for every placement but `count`.
Demand drawn_runnable_demand(Random& random, const Shape& shape, const std::vector<NodeSpec>& nodes) {
    const Cluster cluster = make_cluster(nodes, "consolidate");
    GpuCount largest = 0;
    GpuCount all = 0;
    for (const NodeSpec& node : nodes) {
        largest = std::max(largest, node.gpus);
        all += node.gpus;
    }
    for (;;) {
        const Demand demand = drawn_demand(random, shape, largest, all);
        if (find_place(cluster, cluster.capacity, demand)) return demand;
    }
}

DemandId kept(std::vector<Demand>& demands, const Demand& demand) {
    const auto at = std::find(demands.begin(), demands.end(), demand);
    const auto number = static_cast<std::uint32_t>(at - demands.begin());
    if (at == demands.end()) demands.push_back(demand);
    return DemandId(number);
}

}  // namespace

std::vector<NodeSpec> drawn_cluster(Random& random, bool resources) {
    const bool equal = random.chance(0.6);
    const auto size = [&] { return random.chance(0.5) ? GpuCount{1} << small(random, 3) : 1 + small(random, 7); };
    NodeSpec node{.gpus = size()};
    std::vector<NodeSpec> nodes(1 + random.below(4));
    for (NodeSpec& each : nodes) {
        if (!equal) node.gpus = size();
        if (resources) {
            node.cpus = node.gpus * (1 + small(random, 3));
            node.host_memory = Bytes(node.gpus * (8U + small(random, 16)));
            node.network = Bytes(1U + node.gpus * small(random, 2));
        }
        each = node;
    }
    return nodes;
}

Trace drawn_trace(Random& random, const std::vector<NodeSpec>& nodes, const Shape& shape) {
    Trace trace;
    trace.users = {"", "ann", "bob", "cid"};
    const std::int64_t span = any_of<std::int64_t>(random, {0, 3, 10, 30});
    for (std::size_t i = 0; i < shape.jobs; ++i) {
        Job job;
        job.submit = drawn_submit(random, shape, span);
        job.length = drawn_length(random, shape);
        job.estimate = drawn_estimate(random, shape, job.length);
        if (random.chance(0.6)) job.deadline = job.submit + std::chrono::seconds(random.between(0, 15));
        job.user = NameId(small(random, 3));
        job.demand = kept(trace.demands, drawn_runnable_demand(random, shape, nodes));
        job.level = static_cast<Level>(random.below(4));
        trace.jobs.push_back(job);
        trace.ids.push_back("j" + std::to_string(i));
    }
    std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                     [](const Job& a, const Job& b) { return a.submit < b.submit; });
    return trace;
}

}  // namespace sy::naive
