// Problem: the way of least expected time through nodes whose loads change with every request.
//
// Source: dynamic programming over borders (to_go.cc, where the cost is told as well); A* (Hart, Nilsson, Raphael,
// 1968) where hops differ from pair to pair.
//
// Choice: with equal hops the table of ToGo is exact, and the way is read off it from layer 0 on. With known links a
// state is a node, not a border, and there are as many edges as pairs of nodes that can follow each other: 200,000
// with 1,024 nodes. The table, which lets each node be reached by its quickest hop, is a consistent bound of what is
// left to go from below. A search that always goes on from the node of least spent plus bound takes each node up once
// at most, stops at the first that ends the model, and looks at few others where one region has the quick links.
//
// Used to its end: a node could also be left before, when a faster one holds the rest. Then it could stand in a route
// twice and would need its memory twice, and states would be pairs of node and layer. Entering midway already lets any
// two nodes that overlap follow each other.
//
// Caching: tables are mended from what Shards says has changed since; the route is read off afresh for each request.
#include "core/pipeline/route/route_dp.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace sy::pipeline {

RouteAnswer DpRouter::route(const Shards& shards, const Ask& ask) {
    if (!surveyed_ || shards.shape() != shape_) survey(shards);
    if (!columns_.reaches_the_end()) return *shards.obstacle();
    ToGo& to_go = to_go_[static_cast<std::size_t>(ask.level)];
    to_go.follow(shards, columns_, ask.level);
    if (to_go.from(0) >= kFar) return *shards.obstacle();
    if (!shards.hops().uniform()) return search(shards, to_go, ask.level);
    return Route{read_off(shards, to_go), Duration(to_go.from(0)), ask.level};
}

void DpRouter::survey(const Shards& shards) {
    columns_ = Columns(shards);
    for (ToGo& table : to_go_) table.restart();
    open_at_.clear();
    if (!shards.hops().uniform()) {
        open_at_.resize(columns_.entries().size());
        for (std::uint32_t m = 0; m < columns_.members().size(); ++m) {
            const std::uint32_t end = columns_.columns()[columns_.column_of(m)].end_entry;
            for (std::uint32_t e = columns_.members()[m].first_entry; e < end; ++e) open_at_[e].push_back(m);
        }
        reached_.assign(columns_.members().size(), {});
        searches_ = 0;
    }
    shape_ = shards.shape();
    surveyed_ = true;
}

Pipeline DpRouter::read_off(const Shards& shards, const ToGo& to_go) const {
    Pipeline stages;
    stages.reserve(8);
    const auto end = static_cast<std::uint32_t>(columns_.entries().size());
    for (std::uint32_t entry = 0; entry < end;) {
        const std::uint32_t member = best_member(shards, to_go, entry);
        stages.push_back(stage_of(member, entry));
        entry = columns_.columns()[columns_.column_of(member)].end_entry;
    }
    return stages;
}

std::uint32_t DpRouter::best_member(const Shards& shards, const ToGo& to_go, std::uint32_t entry) const {
    const auto& columns = columns_.columns();
    const Nanoseconds whole = to_go.from(entry);
    auto c = static_cast<std::uint32_t>(columns.size());
    while (true) {
        SY_CHECK(c > 0, "no column leads on from layer {}", columns_.entries()[entry]);
        const auto& column = columns[--c];
        if (column.first_entry <= entry && to_go.cell(column, entry) + to_go.after(columns_, c) == whole) break;
    }
    return to_go.best_member(shards, columns_, columns[c], entry);
}

bool DpRouter::Open::comes_after(const Open& other) const {
    return std::tuple(total, other.end_entry, last_used, member) >
           std::tuple(other.total, end_entry, other.last_used, other.member);
}

Route DpRouter::search(const Shards& shards, const ToGo& to_go, Level level) {
    const auto later = [](const Open& a, const Open& b) { return a.comes_after(b); };
    ++searches_;
    open_.clear();
    go_on(shards, to_go, Columns::kNone, 0);
    while (true) {
        SY_CHECK(!open_.empty(), "a way of {} ns was promised", to_go.from(0));
        std::pop_heap(open_.begin(), open_.end(), later);
        const Open next = open_.back();
        open_.pop_back();
        if (reached_[next.member].done) continue;
        reached_[next.member].done = true;
        if (next.end_entry == columns_.entries().size()) return Route{traced(next.member), Duration(next.spent), level};
        go_on(shards, to_go, next.member, next.end_entry);
    }
}

void DpRouter::go_on(const Shards& shards, const ToGo& to_go, std::uint32_t from, std::uint32_t entry) {
    const auto later = [](const Open& a, const Open& b) { return a.comes_after(b); };
    const NodeIndex here = from == Columns::kNone ? kClient : columns_.members()[from].node;
    const Nanoseconds spent = from == Columns::kNone ? 0 : reached_[from].spent;
    for (const std::uint32_t m : open_at_[entry]) {
        Reached& there = reached_[m];
        const bool known = there.search == searches_;
        if (known && there.done) continue;
        const NodeIndex node = columns_.members()[m].node;
        // The table counts the quickest hop, and from the client the very one.
        Nanoseconds sum = spent + to_go.through(columns_, m, entry);
        if (sum >= kFar) continue;
        if (entry > 0) sum += shards.hop(here, node).count() - columns_.quickest_hop_to(m);
        if (known && there.spent <= sum) continue;
        there = {sum, from, entry, searches_, false};
        const std::uint32_t column = columns_.column_of(m);
        const Nanoseconds rest = to_go.after(columns_, column);
        if (rest >= kFar) continue;
        open_.push_back({sum + rest, columns_.columns()[column].end_entry, shards.last_used(node), m, sum});
        std::push_heap(open_.begin(), open_.end(), later);
    }
}

Pipeline DpRouter::traced(std::uint32_t last) const {
    Pipeline stages;
    for (std::uint32_t m = last; m != Columns::kNone; m = reached_[m].from)
        stages.push_back(stage_of(m, reached_[m].entry));
    std::reverse(stages.begin(), stages.end());
    return stages;
}

Stage DpRouter::stage_of(std::uint32_t member, std::uint32_t entry) const {
    return {columns_.members()[member].node,
            {columns_.entries()[entry], columns_.columns()[columns_.column_of(member)].end}};
}

}  // namespace sy::pipeline
