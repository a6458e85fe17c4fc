// Problem: the way of least price when every pair of nodes may have a hop of its own: 200,000 of them can be gone with
// 1,024 nodes of 80 layers, and a route must take less than 20 us.
//
// Source: A* (Hart, Nilsson, Raphael, 1968), by the bounds of outlook.cc.
//
// Choice: first a way is taken that always goes on to what looks best. Most often it is the best, or nearly; nothing
// that costs more is opened after that. Links lie nearest first, so a look along them ends where even the best node
// could not make up for the hop. Links that are not known all cost the same: of nodes that end together the quickest
// leads to whoever is entered there, and the others add only those whom the quickest has a known link to. What is open
// lies in drawers, not in a heap (open_list.h), so a node may be gone on from twice, when it is reached more quickly
// later. The search goes on until all within the limit has been gone on from, ties included:
// of ways of the same price the one whose last stage has the lower node number, then the one before it, and so on. So
// the answer depends on the shards alone, not on what the bounds happened to be.
//
// Used to its end: a node could also be left before, when a faster one holds the rest. Then it could stand in a route
// twice and would need its memory twice, and states would be pairs of node and layer. Entering midway already lets any
// two nodes that overlap follow each other.
#include "core/pipeline/route/way_search.h"

#include <algorithm>
#include <utility>

namespace sy::pipeline {

namespace {

Nanoseconds unknown_hop(const Shards& shards) {
    return std::clamp(shards.hops().otherwise().time, Duration{}, Shards::kLongest).count();
}

bool is_last(const Columns& columns, std::uint32_t member) {
    return columns.members()[member].end_entry == columns.entries().size();
}

bool is_lower(const Columns& columns, std::uint32_t member, std::uint32_t other) {
    return columns.members()[member].node < columns.members()[other].node;
}

}  // namespace

void WaySearch::survey(const Columns& columns) {
    reached_.assign(columns.members().size(), {});
    quickest_.assign(columns.entries().size(), {});
    known_.resize(columns.members().size());
    searches_ = 0;
}

Way WaySearch::find(const Ground& ground) {
    const Columns& columns = ground.columns;
    ++searches_;
    done_.clear();
    const Step start = best_start(ground);
    if (start.member == Columns::kNone) return {};
    limit_ = first_try(ground, start);
    open_.restart(start.time, limit_.time);
    std::uint32_t last = Columns::kNone;
    open_starts(ground);
    while (!open_.empty()) {
        const auto [time, member, before] = open_.take();
        if (time > limit_.time) continue;
        Reached& at = reached_[member];
        if (std::exchange(at.done, true) || at.spent + ground.outlook.rest(member) > limit_) continue;
        if (!is_last(columns, member)) {
            done_.push_back(member);
            go_on(ground, member);
        } else if (at.spent < limit_ || last == Columns::kNone || is_lower(columns, member, last)) {
            limit_ = at.spent;
            last = member;
        }
    }
    for (const std::uint32_t m : done_)
        ground.outlook.raise(columns, m, last == Columns::kNone ? kNoWay : limit_ - reached_[m].spent);
    if (last == Columns::kNone) return {};
    return {traced(columns, last), Duration(limit_.time)};
}

Price WaySearch::first_try(const Ground& ground, Step step) {
    Price sum = ground.outlook.own_from_client(ground.shards, ground.columns, step.member);
    while (!is_last(ground.columns, step.member)) {
        const Layer border = ground.columns.entries()[ground.columns.members()[step.member].end_entry];
        step = best_step(ground, step.member);
        if (step.member == Columns::kNone) return kNoWay;
        sum = sum + Price{step.hop} + ground.outlook.own(ground.shards, ground.columns, step.member, border);
    }
    return sum;
}

WaySearch::Step WaySearch::best_start(const Ground& ground) {
    Step best;
    for (const std::uint32_t m : ground.neighbours.holders(0))
        if (const Nanoseconds time = ground.outlook.time_from_client(m); time < best.time) best = {m, time, 0};
    return best;
}

WaySearch::Step WaySearch::best_step(const Ground& ground, std::uint32_t from) {
    const auto& [shards, columns, neighbours, outlook] = ground;
    const std::uint32_t entry = columns.members()[from].end_entry;
    const Layer border = columns.entries()[entry];
    const Nanoseconds least = outlook.least_by(entry);
    Step best;
    std::uint32_t looks = 0;
    const auto& known = neighbours.after(shards, columns, from);
    for (const Neighbours::Link& link : known) {
        if (link.idle + least >= best.time) break;
        ++looks;
        const Nanoseconds rest = outlook.time_by(link.member, border);
        if (link.idle + rest >= best.time || outlook.closed(link.member)) continue;
        const Nanoseconds hop = link.idle + shards.delay(link.known, Duration(link.idle)).count();
        if (hop + rest < best.time) best = {link.member, hop + rest, hop};
    }
    const auto holders = neighbours.holders(entry);
    const Nanoseconds hop = unknown_hop(shards);
    if (known.size() < holders.size() && hop + least < best.time) {
        mark_known(ground, from);
        for (const std::uint32_t m : holders) {
            const Nanoseconds time = hop + outlook.time_by(m, border);
            if (time < best.time && !outlook.closed(m) && !known_.has(m)) best = {m, time, hop};
        }
    }
    outlook.looked(columns, neighbours, entry, looks);
    return best;
}

void WaySearch::mark_known(const Ground& ground, std::uint32_t from) {
    known_.forget_all();
    for (const Neighbours::Link& link : ground.neighbours.after(ground.shards, ground.columns, from))
        known_.set(link.member);
}

void WaySearch::open_starts(const Ground& ground) {
    for (const std::uint32_t m : ground.neighbours.holders(0))
        if (const Nanoseconds time = ground.outlook.time_from_client(m); time <= limit_.time && time < kOutOfReach)
            open(ground, Columns::kNone, m, ground.outlook.own_from_client(ground.shards, ground.columns, m));
}

void WaySearch::go_on(const Ground& ground, std::uint32_t from) {
    const auto& [shards, columns, neighbours, outlook] = ground;
    const std::uint32_t entry = columns.members()[from].end_entry;
    const Layer border = columns.entries()[entry];
    const Nanoseconds left = limit_.time - reached_[from].spent.time;
    const Nanoseconds nearest = left - outlook.least_by(entry);
    std::uint32_t looks = 0;
    const auto& known = neighbours.after(shards, columns, from);
    for (const Neighbours::Link& link : known) {
        if (link.idle > nearest) break;
        ++looks;
        if (link.idle + outlook.time_by(link.member, border) <= left && may_reach(ground, from, link.member, link.idle))
            reach(ground, from, link.member, link.idle + shards.delay(link.known, Duration(link.idle)).count());
    }
    outlook.looked(columns, neighbours, entry, looks);
    if (known.size() < neighbours.holders(entry).size() && unknown_hop(shards) <= nearest)
        go_on_by_unknown_links(ground, from);
}

void WaySearch::go_on_by_unknown_links(const Ground& ground, std::uint32_t from) {
    const auto& [shards, columns, neighbours, outlook] = ground;
    const std::uint32_t entry = columns.members()[from].end_entry;
    const Layer border = columns.entries()[entry];
    const Nanoseconds hop = unknown_hop(shards);
    const Nanoseconds left = limit_.time - reached_[from].spent.time;
    mark_known(ground, from);
    const auto look_at = [&, &outlook = outlook](std::uint32_t m) {
        if (hop + outlook.time_by(m, border) <= left && !known_.has(m) && may_reach(ground, from, m, hop))
            reach(ground, from, m, hop);
    };
    Quickest& quickest = quickest_[entry];
    if (quickest.search == searches_ && reached_[quickest.member].spent < reached_[from].spent) {
        for (const Neighbours::Link& link : neighbours.after(shards, columns, quickest.member)) look_at(link.member);
        return;
    }
    quickest = {from, searches_};
    for (const std::uint32_t m : neighbours.holders(entry)) look_at(m);
}

bool WaySearch::may_reach(const Ground& ground, std::uint32_t from, std::uint32_t to, Nanoseconds hop) const {
    if (ground.outlook.closed(to)) return false;
    const Reached& there = reached_[to];
    if (there.search != searches_) return true;
    const Layer border = ground.columns.entries()[ground.columns.members()[from].end_entry];
    return reached_[from].spent.time + hop + ground.outlook.own_time(to, border) <= there.spent.time;
}

void WaySearch::reach(const Ground& ground, std::uint32_t from, std::uint32_t to, Nanoseconds hop) {
    const Layer border = ground.columns.entries()[ground.columns.members()[from].end_entry];
    open(ground, from, to,
         reached_[from].spent + Price{hop} + ground.outlook.own(ground.shards, ground.columns, to, border));
}

void WaySearch::open(const Ground& ground, std::uint32_t from, std::uint32_t to, const Price& spent) {
    const Price whole = spent + ground.outlook.rest(to);
    if (whole > limit_) return;
    Reached& there = reached_[to];
    if (there.search == searches_) {
        if (there.spent < spent) return;
        if (there.spent == spent) {
            if (there.from != Columns::kNone && is_lower(ground.columns, from, there.from)) {
                there.from = from;
                there.entry = ground.columns.members()[from].end_entry;
            }
            return;
        }
    }
    there = {spent, from, from == Columns::kNone ? 0 : ground.columns.members()[from].end_entry, searches_, false};
    open_.add(whole.time, to);
}

Pipeline WaySearch::traced(const Columns& columns, std::uint32_t last) const {
    Pipeline stages;
    stages.reserve(8);
    for (std::uint32_t m = last; m != Columns::kNone; m = reached_[m].from) {
        const Columns::Member& member = columns.members()[m];
        stages.push_back(
            {member.node, {columns.entries()[reached_[m].entry], columns.columns()[columns.column_of(m)].end}});
    }
    std::reverse(stages.begin(), stages.end());
    return stages;
}

}  // namespace sy::pipeline
