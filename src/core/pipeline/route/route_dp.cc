// Problem: the way of least expected time through nodes whose loads change with every request.
//
// Source: dynamic programming over borders (to_go.cc, where the cost is told as well); A* (Hart, Nilsson, Raphael,
// 1968) where hops differ from pair to pair.
//
// Choice: where hops are those between regions the table of ToGo is exact, and the way is read off it from layer 0 on.
// With load on links, or nodes that are alike to nobody, the table is a bound from below, and the way read off it may
// cost more than the table promised. Then a state is a node, not a border, and there are as many edges as pairs of
// nodes that can follow each other: 200,000 with 1,024 nodes. A search that always goes on from the node of least spent
// plus bound takes each node up once at most and stops at the first that ends the model. What cannot be quicker than
// the way read off is not even looked up, so that a little load on links costs a little search.
//
// That holds while nodes fall into few regions. Where nearly every link has a time of its own, measured for itself, the
// table knows next to nothing of hops. Then the search of way_search.cc is taken, which learns bounds for each node, or
// where ways are long and pairs of nodes few way_table.cc, which looks at all of them. Both give the same route.
//
// Used to its end: a node could also be left before, when a faster one holds the rest. Then it could stand in a route
// twice and would need its memory twice, and states would be pairs of node and layer. Entering midway already lets any
// two nodes that overlap follow each other.
//
// Caching: tables are mended from what Shards says has changed since; the route is read off afresh for each request.
#include "core/pipeline/route/route_dp.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace sy::pipeline {

RouteAnswer DpRouter::route(const Shards& shards, const Ask& ask) {
    if (!surveyed_ || shards.shape() != shape_) survey(shards);
    if (!columns_.reaches_the_end()) return *shards.obstacle();
    if (!shards.regions().few()) return route_by_links(shards, ask.level);
    ToGo& to_go = to_go_[static_cast<std::size_t>(ask.level)];
    to_go.follow(shards, columns_, ask.level);
    if (to_go.whole() >= kOutOfReach) return *shards.obstacle();
    Route route{read_off(shards, to_go), Duration(to_go.whole()), ask.level};
    if (shards.hops().uniform()) return route;
    route.expected = shards.expected(route.stages, ask.level);
    if (route.expected.count() == to_go.whole()) return route;
    return search(shards, to_go, std::move(route));
}

RouteAnswer DpRouter::route_by_links(const Shards& shards, Level level) {
    Way way = find_way(shards, level);
    if (way.stages.empty()) return *shards.obstacle();
    return Route{std::move(way.stages), way.expected, level};
}

Way DpRouter::find_way(const Shards& shards, Level level) {
    if (look_at_all_) {
        WayTable& table = way_tables_[static_cast<std::size_t>(level)];
        table.follow({shards, columns_, neighbours_}, level);
        return table.find({shards, columns_, neighbours_});
    }
    Outlook& outlook = outlooks_[static_cast<std::size_t>(level)];
    outlook.follow(shards, columns_, neighbours_, level);
    return way_search_.find({shards, columns_, neighbours_, outlook});
}

void DpRouter::survey(const Shards& shards) {
    columns_ = Columns(shards);
    for (ToGo& table : to_go_) table.restart();
    if (!shards.regions().few()) {
        neighbours_ = Neighbours(columns_);
        look_at_all_ = WayTable::is_quicker({shards, columns_, neighbours_});
        for (Outlook& outlook : outlooks_) outlook.restart();
        for (WayTable& table : way_tables_) table.restart();
        way_search_.survey(columns_);
    } else {
        open_at_ = OpenAt(columns_, shards.regions().count());
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
    std::uint32_t column = Columns::kNone;
    for (std::uint32_t entry = 0; entry < end; entry = columns_.columns()[column].end_entry) {
        column = best_column(shards.regions(), to_go, column);
        stages.push_back(stage_of(to_go.best_member(shards, columns_, columns_.columns()[column], entry), entry));
    }
    return stages;
}

std::uint32_t DpRouter::best_column(const Regions& regions, const ToGo& to_go, std::uint32_t from) const {
    const bool at_client = from == Columns::kNone;
    const std::uint32_t entry = at_client ? 0 : columns_.columns()[from].end_entry;
    const Nanoseconds whole = at_client ? to_go.whole() : to_go.after(from);
    std::uint32_t best = Columns::kNone;
    for (std::uint32_t region = 0; region < regions.count(); ++region) {
        const Nanoseconds hop = at_client ? 0 : regions.hop(columns_.columns()[from].region, region).count();
        if (hop + to_go.on(region, entry) != whole) continue;
        const auto open = open_at_.columns(region, entry);
        const auto at = std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t c) {
            return hop + to_go.cell(columns_.columns()[c], entry) + to_go.after(c) == whole;
        });
        if (at != open.rend() && (best == Columns::kNone || *at > best)) best = *at;
    }
    SY_CHECK(best != Columns::kNone, "no column leads on from layer {}", columns_.entries()[entry]);
    return best;
}

bool DpRouter::Open::comes_after(const Open& other) const {
    return std::tuple(total, other.end_entry, last_used, member) >
           std::tuple(other.total, end_entry, other.last_used, other.member);
}

Route DpRouter::search(const Shards& shards, const ToGo& to_go, Route best) {
    const auto later = [](const Open& a, const Open& b) { return a.comes_after(b); };
    ++searches_;
    open_.clear();
    go_on(shards, to_go, Columns::kNone, best.expected.count());
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), later);
        const Open next = open_.back();
        open_.pop_back();
        if (reached_[next.member].done) continue;
        reached_[next.member].done = true;
        if (next.end_entry == columns_.entries().size())
            return Route{traced(next.member), Duration(next.spent), best.level};
        go_on(shards, to_go, next.member, best.expected.count());
    }
    return best;
}

void DpRouter::go_on(const Shards& shards, const ToGo& to_go, std::uint32_t from, Nanoseconds limit) {
    const bool at_client = from == Columns::kNone;
    const Columns::Column* here = at_client ? nullptr : &columns_.columns()[columns_.column_of(from)];
    const Nanoseconds spent = at_client ? 0 : reached_[from].spent;
    const std::uint32_t entry = at_client ? 0 : here->end_entry;
    for (std::uint32_t region = 0; region < shards.regions().count(); ++region) {
        // From the client the table counts the very hop.
        const Nanoseconds hop = at_client ? 0 : shards.regions().hop(here->region, region).count();
        if (spent + hop + to_go.on(region, entry) >= limit) continue;
        for (const std::uint32_t c : open_at_.columns(region, entry)) {
            const Columns::Column& column = columns_.columns()[c];
            const Nanoseconds rest = to_go.after(c);
            if (spent + hop + rest + to_go.cell(column, entry) >= limit) continue;
            for (std::uint32_t m = column.first_member; m < column.end_member; ++m) {
                if (columns_.members()[m].first_entry > entry) continue;
                const Nanoseconds sum = spent + to_go.through(columns_, m, entry);
                if (sum + hop + rest < limit) open(shards, {from, m, entry}, sum, rest, limit);
            }
        }
    }
}

void DpRouter::open(const Shards& shards, const Edge& edge, Nanoseconds before_hop, Nanoseconds rest,
                    Nanoseconds limit) {
    Reached& there = reached_[edge.to];
    const bool known = there.search == searches_;
    if (known && (there.done || there.spent <= before_hop)) return;
    const NodeIndex node = columns_.members()[edge.to].node;
    Nanoseconds sum = before_hop;
    if (edge.from != Columns::kNone) sum += shards.hop(columns_.members()[edge.from].node, node).count();
    if (sum + rest >= limit || (known && there.spent <= sum)) return;
    there = {sum, edge.from, edge.entry, searches_, false};
    const std::uint32_t end = columns_.columns()[columns_.column_of(edge.to)].end_entry;
    open_.push_back({sum + rest, end, shards.last_used(node), edge.to, sum});
    std::push_heap(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.comes_after(b); });
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
