// Dinic's algorithm (1970): as long as the sink can be reached, number the vertices by their distance from the source
// and fill all shortest ways at once, never looking again at an arc that led nowhere. Whole numbers, so it is exact.
// Cost: O(vertices² · edges) in theory; in the graphs of placements distances are few, and a run looks at each edge
// some ten times. Chosen over push-relabel since the graphs are small and mostly of a few levels, and since it leaves a
// flow, not a preflow, after each round.
#include "core/pipeline/flow/max_flow.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace sy::pipeline {

namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void MaxFlow::clear(std::size_t vertices) {
    vertices_ = vertices;
    ends_.clear();
}

MaxFlow::Edge MaxFlow::add(Vertex from, Vertex to, Rate capacity) {
    ends_.push_back({from, to, capacity});
    return static_cast<Edge>(ends_.size() - 1);
}

void MaxFlow::lay_out() {
    begin_.assign(vertices_ + 2, 0);
    for (const Ends& edge : ends_) {
        SY_CHECK(edge.from < vertices_ && edge.to < vertices_ && edge.capacity >= 0, "{} to {} of {}, {}", edge.from,
                 edge.to, vertices_, edge.capacity);
        ++begin_[edge.from + 2];
        ++begin_[edge.to + 2];
    }
    for (std::size_t v = 2; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
    arcs_.resize(2 * ends_.size());
    out_.resize(arcs_.size());
    // begin_[v + 1] runs from where v begins to where it ends, and so becomes where v + 1 begins.
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
        arcs_[std::size_t{2} * e] = {ends_[e].to, ends_[e].capacity};
        arcs_[std::size_t{2} * e + 1] = {ends_[e].from, 0};
        out_[begin_[ends_[e].from + 1]++] = 2 * e;
        out_[begin_[ends_[e].to + 1]++] = 2 * e + 1;
    }
    work_ += 4 * ends_.size();
}

Rate MaxFlow::run(Vertex source, Vertex sink) {
    SY_CHECK(source != sink && source < vertices_ && sink < vertices_, "{} to {} of {}", source, sink, vertices_);
    lay_out();
    Rate sent = 0;
    while (level(source, sink)) {
        next_.assign(begin_.begin(), begin_.end() - 1);
        while (const Rate more = push(source, sink)) sent += more;
    }
    return sent;
}

bool MaxFlow::level(Vertex source, Vertex sink) {
    level_.assign(vertices_, kFar);
    level_[source] = 0;
    queue_.assign(1, source);
    for (std::size_t at = 0; at < queue_.size() && level_[sink] == kFar; ++at) {
        const Vertex v = queue_[at];
        work_ += begin_[v + 1] - begin_[v];
        for (std::uint32_t k = begin_[v]; k < begin_[v + 1]; ++k) {
            const Arc& arc = arcs_[out_[k]];
            if (arc.left == 0 || level_[arc.to] != kFar) continue;
            level_[arc.to] = level_[v] + 1;
            queue_.push_back(arc.to);
        }
    }
    return level_[sink] != kFar;
}

/// Fills one shortest way; 0 where none is left.
Rate MaxFlow::push(Vertex source, Vertex sink) {
    trail_.clear();
    Vertex at = source;
    while (at != sink) {
        std::uint32_t& k = next_[at];
        while (k < begin_[at + 1] && (arcs_[out_[k]].left == 0 || level_[arcs_[out_[k]].to] != level_[at] + 1)) ++k;
        if (k < begin_[at + 1]) {
            trail_.push_back(out_[k]);
            at = arcs_[out_[k]].to;
            continue;
        }
        if (at == source) return 0;
        at = arcs_[trail_.back() ^ 1].to;
        trail_.pop_back();
        ++next_[at];
    }
    Rate most = std::numeric_limits<Rate>::max();
    for (const std::uint32_t arc : trail_) most = std::min(most, arcs_[arc].left);
    for (const std::uint32_t arc : trail_) {
        arcs_[arc].left -= most;
        arcs_[arc ^ 1].left += most;
    }
    work_ += trail_.size();
    return most;
}

std::vector<Path> MaxFlow::paths(Vertex source, Vertex sink) const {
    std::vector<Rate> left(ends_.size());
    for (Edge e = 0; e < ends_.size(); ++e) left[e] = flow(e);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    std::vector<bool> on_trail(vertices_, false);
    std::vector<Path> all;
    std::vector<Edge> trail;
    const auto take = [&](std::size_t from) {
        Rate most = std::numeric_limits<Rate>::max();
        for (std::size_t i = from; i < trail.size(); ++i) most = std::min(most, left[trail[i]]);
        for (std::size_t i = from; i < trail.size(); ++i) left[trail[i]] -= most;
        return most;
    };
    const auto cut_back = [&](std::size_t to) {
        for (; trail.size() > to; trail.pop_back()) on_trail[ends_[trail.back()].to] = false;
    };
    for (Vertex at = source;;) {
        on_trail[at] = true;
        std::uint32_t& k = next[at];
        while (k < begin_[at + 1] && (out_[k] % 2 == 1 || left[out_[k] / 2] == 0)) ++k;
        // What comes in goes out, so only the source runs dry.
        if (k == begin_[at + 1]) return all;
        const Edge edge = out_[k] / 2;
        const Vertex to = ends_[edge].to;
        trail.push_back(edge);
        if (to == sink) {
            Path path{{source}, take(0)};
            for (const Edge e : trail) path.vertices.push_back(ends_[e].to);
            all.push_back(std::move(path));
            cut_back(0);
            at = source;
        } else if (on_trail[to]) {
            std::size_t from = trail.size() - 1;
            while (ends_[trail[from]].from != to) --from;
            take(from);
            cut_back(from);
            at = to;
        } else {
            at = to;
        }
    }
}

}  // namespace sy::pipeline
