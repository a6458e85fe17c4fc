// Problem: the way of least price where every pair of nodes may have a hop of its own and ways have many stages.
//
// Source: shortest paths in a graph without cycles: nodes taken up in the order of their ends, each reached from all
// that end within its layers.
//
// Choice: loads even out, so after a while a great many ways are nearly the best, the more the longer ways are, and a
// search that looks at all of them goes to and fro (way_search.cc). Here each node is looked at once, in a pass that
// neither learns nor forgets anything, and each only from those who may be the best before it: links lie nearest first,
// and a look along them ends where even the one left earliest could not make up for the hop. Hops that are not known
// are equally long, so of nodes that end together only the best one's counts, but for members it has a known link to.
// Of ways of the same price the one whose last stage has the lower node number, then the one before it, and so on: the
// same answer as the search's.
//
// Cost: all nodes and a few links of each, whatever the loads; kMostPairs bounds what is kept. With n nodes and stages
// of an equal number of nodes each it was as quick as the search at 8 stages for 128 and 256 nodes, at 17 for 512 and
// at 19 for 1,024, and four times as quick at most before nodes become few; is_quicker() draws a line through that.
#include "core/pipeline/route/way_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sy::pipeline {

namespace {

/// For each pair of stages.
constexpr std::uint64_t kPairs = 64;
constexpr std::uint32_t kFew = 4;

}  // namespace

bool WayTable::is_quicker(const Ground& ground) {
    const auto& [shards, columns, neighbours] = ground;
    const auto nodes = static_cast<std::uint32_t>(columns.members().size());
    std::uint64_t pairs = 0;
    std::uint64_t held = 0;
    for (std::uint32_t m = 0; m < nodes; ++m) {
        pairs += neighbours.whom_it_follows(columns, m).size();
        held += shards.at(columns.members()[m].node).range.size();
    }
    const std::uint64_t stages = std::uint64_t{shards.layers()} * nodes / std::max<std::uint64_t>(held, 1);
    return pairs <= std::min(kMostPairs, kPairs * stages * stages);
}

void WayTable::follow(const Ground& ground, Level level) {
    const auto& [shards, columns, neighbours] = ground;
    if (started_ && shards.version() == seen_) return;
    if (!started_ || !shards.remembers(seen_)) {
        start(ground, level);
    } else {
        for (std::uint64_t n = seen_.changes; n < shards.version().changes; ++n) {
            const Shards::Change& change = shards.change(n);
            const std::uint32_t member = columns.member_of(change.node);
            if (member == Columns::kNone) continue;
            offers_[member] = offer_of(shards, change.node, level);
            if (change.link != Shards::kNoLink) take_link(ground, member, change);
        }
    }
    seen_ = shards.version();
    started_ = true;
}

void WayTable::start(const Ground& ground, Level level) {
    const auto& [shards, columns, neighbours] = ground;
    *this = {};
    unknown_hop_ = std::clamp(shards.hops().otherwise().time, Duration{}, Shards::kLongest).count();
    for (std::uint32_t m = 0; m < columns.members().size(); ++m) {
        const NodeIndex node = columns.members()[m].node;
        offers_.push_back(offer_of(shards, node, level));
        spent_.push_back({.border = columns.columns()[columns.column_of(m)].end});
        reached_.push_back({.node = node});
        add_row(ground, m);
    }
    least_.resize(columns.entries().size());
    cheapest_.resize(columns.entries().size());
}

void WayTable::add_row(const Ground& ground, std::uint32_t member) {
    const auto& [shards, columns, neighbours] = ground;
    const NodeIndex node = columns.members()[member].node;
    const Neighbours::Run run = neighbours.whom_it_follows(columns, member);
    const auto first = static_cast<std::uint32_t>(links_.size());
    const auto add = [&, &shards = shards](std::uint32_t from, Shards::LinkIndex link) {
        const Duration idle = shards.idle_time(link);
        links_.push_back({idle.count(), (idle + shards.delay(link)).count(), from});
    };
    if (const auto into = shards.links_into(node); into.size() < run.size()) {
        for (const Shards::LinkIndex k : into)
            if (const std::uint32_t from = columns.member_of(shards.hops().known()[k].from);
                from != Columns::kNone && run.first <= from && from < run.end)
                add(from, k);
    } else {
        for (std::uint32_t from = run.first; from < run.end; ++from)
            if (const auto k = shards.link(columns.members()[from].node, node); k != Shards::kNoLink) add(from, k);
    }
    const auto end = static_cast<std::uint32_t>(links_.size());
    rows_.push_back({first, end, end - first == run.size()});
    std::sort(links_.begin() + first, links_.end(),
              [](const Link& a, const Link& b) { return std::tuple(a.idle, a.from) < std::tuple(b.idle, b.from); });
    for (std::uint32_t k = first; k < end; ++k) places_.push_back({links_[k].from, k});
    std::sort(places_.begin() + first, places_.end(), [](const Place& a, const Place& b) { return a.from < b.from; });
}

std::uint32_t WayTable::link_from(std::uint32_t from, const Row& row) const {
    if (row.first == row.end || from < places_[row.first].from) return Columns::kNone;
    std::uint32_t at = row.first + from - places_[row.first].from;
    if (!row.whole)
        at = static_cast<std::uint32_t>(
            std::lower_bound(places_.begin() + row.first, places_.begin() + row.end, from,
                             [](const Place& place, std::uint32_t member) { return place.from < member; }) -
            places_.begin());
    return at < row.end && places_[at].from == from ? places_[at].link : Columns::kNone;
}

void WayTable::take_link(const Ground& ground, std::uint32_t member, const Shards::Change& change) {
    const std::uint32_t from = ground.columns.member_of(change.from);
    if (from == Columns::kNone) return;
    const std::uint32_t at = link_from(from, rows_[member]);
    if (at == Columns::kNone) return;
    Link& link = links_[at];
    link.hop = link.idle + ground.shards.delay(change.link, Duration(link.idle)).count();
}

Way WayTable::find(const Ground& ground) {
    const auto entries = static_cast<std::uint32_t>(ground.columns.entries().size());
    for (std::uint32_t entry = 1;; ++entry) {
        const Neighbours::Run run = ground.neighbours.ending(entry);
        for (std::uint32_t m = run.first; m < run.end; ++m) reach(ground, m);
        const std::uint32_t best = cheapest(run);
        if (entry == entries) return best == Columns::kNone ? Way{} : traced(best);
        cheapest_[entry] = best;
        least_[entry] = best == Columns::kNone ? Spent{} : spent_[best];
    }
}

void WayTable::reach(const Ground& ground, std::uint32_t member) {
    const Offer& offer = offers_[member];
    spent_[member].time = kOutOfReach;
    if (offer.from_node >= kOutOfReach) return;
    const Nanoseconds per_layer = offer.per_layer;
    const Row& row = rows_[member];
    // Of so few each is looked at sooner than it is known which need not be.
    const bool few = row.whole && row.end - row.first <= kFew;
    const Nanoseconds earliest_left = few ? -kOutOfReach : earliest(ground.columns.members()[member], per_layer);
    const Link* link = links_.data() + row.first;
    const Link* const end = links_.data() + row.end;
    Step best{Columns::kNone, offer.from_client - offer.from_node};
    for (; link != end && link->idle + earliest_left <= best.time; ++link)
        if (const Nanoseconds time = spent_[link->from].time_for(per_layer) + link->hop;
            is_less(link->from, time, best))
            best = {link->from, time};
    if (!row.whole && unknown_hop_ + earliest_left <= best.time) best = by_unknown_links(ground, member, best);
    spent_[member].time = std::min(kOutOfReach, best.time + offer.from_node);
    Reached& at = reached_[member];
    const bool by_client = best.from == Columns::kNone;
    at.from = best.from;
    at.used = static_cast<std::int64_t>(ground.shards.last_used(at.node)) + (by_client ? 0 : reached_[best.from].used);
    at.nodes = at.node + (by_client ? 0 : reached_[best.from].nodes);
}

Nanoseconds WayTable::earliest(const Columns::Member& member, Nanoseconds per_layer) const {
    Nanoseconds earliest = kOutOfReach;
    for (std::uint32_t entry = std::max(member.first_entry, 1U); entry < member.end_entry; ++entry)
        earliest = std::min(earliest, least_[entry].time_for(per_layer));
    return earliest;
}

WayTable::Step WayTable::by_unknown_links(const Ground& ground, std::uint32_t member, Step best) const {
    const Columns::Member& at = ground.columns.members()[member];
    const Nanoseconds per_layer = offers_[member].per_layer;
    const Row& row = rows_[member];
    Step nearest;
    for (std::uint32_t entry = std::max(at.first_entry, 1U); entry < at.end_entry; ++entry)
        if (const std::uint32_t from = cheapest_[entry]; from != Columns::kNone)
            if (const Nanoseconds time = least_[entry].time_for(per_layer); is_less(from, time, nearest))
                nearest = {from, time};
    if (nearest.from == Columns::kNone) return best;
    if (link_from(nearest.from, row) == Columns::kNone) {
        nearest.time += unknown_hop_;
        return is_less(nearest.from, nearest.time, best) ? nearest : best;
    }
    return by_each_unknown_link(row, ground.neighbours.whom_it_follows(ground.columns, member), per_layer, best);
}

WayTable::Step WayTable::by_each_unknown_link(const Row& row, Neighbours::Run run, Nanoseconds per_layer,
                                              Step best) const {
    std::uint32_t known = row.first;
    for (std::uint32_t from = run.first; from < run.end; ++from) {
        if (known < row.end && places_[known].from == from) {
            ++known;
            continue;
        }
        const Nanoseconds time = spent_[from].time_for(per_layer) + unknown_hop_;
        if (is_less(from, time, best)) best = {from, time};
    }
    return best;
}

bool WayTable::is_cheaper(std::uint32_t member, std::uint32_t other) const {
    const Reached& a = reached_[member];
    const Reached& b = reached_[other];
    return std::tie(a.used, a.nodes, a.node) < std::tie(b.used, b.nodes, b.node);
}

std::uint32_t WayTable::cheapest(Neighbours::Run run) const {
    Step best;
    for (std::uint32_t m = run.first; m < run.end; ++m)
        if (is_less(m, spent_[m].time, best)) best = {m, spent_[m].time};
    return best.from;
}

Way WayTable::traced(std::uint32_t last) const {
    Way way{{}, Duration(spent_[last].time)};
    std::size_t stages = 0;
    for (std::uint32_t m = last; m != Columns::kNone; m = reached_[m].from) ++stages;
    way.stages.resize(stages);
    for (std::uint32_t m = last; m != Columns::kNone; m = reached_[m].from) {
        const std::uint32_t from = reached_[m].from;
        const Nanoseconds first = from == Columns::kNone ? 0 : spent_[from].border;
        way.stages[--stages] = {reached_[m].node, {static_cast<Layer>(first), static_cast<Layer>(spent_[m].border)}};
    }
    return way;
}

}  // namespace sy::pipeline
