#include "core/pipeline/flow/max_flow.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::pipeline {
namespace {

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Rate capacity = 0;
};

/// Ford and Fulkerson on a matrix of what is left.
Rate twin(std::size_t vertices, const std::vector<Edge>& edges, std::uint32_t source, std::uint32_t sink) {
    std::vector<std::vector<Rate>> left(vertices, std::vector<Rate>(vertices, 0));
    for (const Edge& edge : edges) left[edge.from][edge.to] += edge.capacity;
    for (Rate sent = 0;;) {
        std::vector<std::uint32_t> from(vertices, std::numeric_limits<std::uint32_t>::max());
        std::vector<std::uint32_t> queue{source};
        for (std::size_t at = 0; at < queue.size(); ++at)
            for (std::uint32_t to = 0; to < vertices; ++to)
                if (left[queue[at]][to] > 0 && to != source && from[to] >= vertices) {
                    from[to] = queue[at];
                    queue.push_back(to);
                }
        if (from[sink] >= vertices) return sent;
        Rate most = std::numeric_limits<Rate>::max();
        for (std::uint32_t v = sink; v != source; v = from[v]) most = std::min(most, left[from[v]][v]);
        for (std::uint32_t v = sink; v != source; v = from[v]) {
            left[from[v]][v] -= most;
            left[v][from[v]] += most;
        }
        sent += most;
    }
}

std::vector<Edge> draw(Random& random, std::size_t vertices) {
    std::vector<Edge> edges(random.below(3 * vertices + 1));
    for (Edge& edge : edges)
        edge = {static_cast<std::uint32_t>(random.below(vertices)), static_cast<std::uint32_t>(random.below(vertices)),
                random.between(0, 20)};
    return edges;
}

TEST(MaxFlow, NothingGetsThroughAGraphWithoutEdges) {
    MaxFlow graph(2);
    EXPECT_EQ(graph.run(0, 1), 0);
    EXPECT_TRUE(graph.paths(0, 1).empty());
}

TEST(MaxFlow, ASecondRunForgetsTheFirst) {
    MaxFlow graph(3);
    graph.add(0, 1, 5);
    graph.add(1, 2, 3);
    EXPECT_EQ(graph.run(0, 2), 3);
    EXPECT_EQ(graph.run(0, 2), 3);
    EXPECT_EQ(graph.run(0, 1), 5);
}

TEST(MaxFlow, EqualsItsTwinAndIsAFlow) {
    MaxFlow graph;
    for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::size_t vertices = 2 + random.below(10);
        const std::vector<Edge> edges = draw(random, vertices);
        graph.clear(vertices);
        for (const Edge& edge : edges) graph.add(edge.from, edge.to, edge.capacity);
        const Rate sent = graph.run(0, 1);
        ASSERT_EQ(sent, twin(vertices, edges, 0, 1));
        std::vector<Rate> surplus(vertices, 0);
        for (std::uint32_t e = 0; e < edges.size(); ++e) {
            ASSERT_GE(graph.flow(e), 0);
            ASSERT_LE(graph.flow(e), edges[e].capacity);
            surplus[edges[e].from] -= graph.flow(e);
            surplus[edges[e].to] += graph.flow(e);
        }
        for (std::size_t v = 0; v < vertices; ++v) ASSERT_EQ(surplus[v], v == 0 ? -sent : v == 1 ? sent : 0);
    }
}

TEST(MaxFlow, ItsPathsAddUpToItAndNeverExceedAnEdge) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::size_t vertices = 2 + random.below(8);
        const std::vector<Edge> edges = draw(random, vertices);
        MaxFlow graph(vertices);
        std::vector<std::vector<Rate>> left(vertices, std::vector<Rate>(vertices, 0));
        for (std::uint32_t e = 0; e < edges.size(); ++e) graph.add(edges[e].from, edges[e].to, edges[e].capacity);
        Rate rest = graph.run(0, 1);
        for (std::uint32_t e = 0; e < edges.size(); ++e) left[edges[e].from][edges[e].to] += graph.flow(e);
        const std::vector<Path> paths = graph.paths(0, 1);
        ASSERT_LE(paths.size(), edges.size());
        for (const Path& path : paths) {
            ASSERT_GT(path.rate, 0);
            ASSERT_EQ(path.vertices.front(), 0U);
            ASSERT_EQ(path.vertices.back(), 1U);
            rest -= path.rate;
            for (std::size_t i = 1; i < path.vertices.size(); ++i)
                ASSERT_GE(left[path.vertices[i - 1]][path.vertices[i]] -= path.rate, 0);
        }
        ASSERT_EQ(rest, 0);
    }
}

}  // namespace
}  // namespace sy::pipeline
