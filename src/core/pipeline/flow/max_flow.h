// Max flow: how much gets from one vertex to another along edges of limited capacity, and on which of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/pipeline/costs.h"

namespace sy::pipeline {

/// A way from the source to the sink, both included, and how much goes along it.
struct Path {
    std::vector<std::uint32_t> vertices;
    Rate rate = 0;

    friend bool operator==(const Path&, const Path&) = default;
};

/// Made once and used for many graphs: clear() keeps the memory.
class MaxFlow {
public:
    using Vertex = std::uint32_t;
    using Edge = std::uint32_t;

    explicit MaxFlow(std::size_t vertices = 0) { clear(vertices); }

    void clear(std::size_t vertices);
    /// Numbers edges 0, 1, 2 … Capacities must not be negative.
    Edge add(Vertex from, Vertex to, Rate capacity);
    /// The most that gets from source to sink, which differ; what earlier runs sent is forgotten.
    Rate run(Vertex source, Vertex sink);

    /// After run().
    Rate flow(Edge edge) const { return arcs_[2 * std::size_t{edge} + 1].left; }
    std::size_t edges() const { return ends_.size(); }
    /// Edges looked at so far: what a run costs, whatever the machine.
    std::uint64_t work() const { return work_; }

    /// The flow taken apart: paths whose rates add up to it, fewer than there are edges. Flow that goes in circles is
    /// in none of them.
    std::vector<Path> paths(Vertex source, Vertex sink) const;

private:
    struct Ends {
        Vertex from = 0;
        Vertex to = 0;
        Rate capacity = 0;
    };
    struct Arc {
        Vertex to = 0;
        Rate left = 0;
    };

    void lay_out();
    bool level(Vertex source, Vertex sink);
    Rate push(Vertex source, Vertex sink);

    std::size_t vertices_ = 0;
    std::vector<Ends> ends_;
    std::vector<Arc> arcs_;             // An edge and, behind it, its reverse.
    std::vector<std::uint32_t> out_;    // Arcs by the vertex they leave.
    std::vector<std::uint32_t> begin_;  // Where in out_ a vertex begins; one more at the end.
    std::vector<std::uint32_t> next_;   // The first arc of a vertex that may still lead on.
    std::vector<std::uint32_t> level_;  // Steps from the source.
    std::vector<Vertex> queue_;
    std::vector<std::uint32_t> trail_;  // Arcs from the source to where a push stands.
    std::uint64_t work_ = 0;
};

}  // namespace sy::pipeline
