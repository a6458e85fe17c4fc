// Problem: the quickest way from layer 0 to the last through nodes of which each holds one run of layers [f, e), may be
// entered at any of them and is then used to its end; a stage costs the hop to the node, its waiting and the layers it
// computes. Loads change with every request, and hundreds of thousands of routes a second are asked for.
//
// Source: shortest paths in a graph without cycles. Petals searches a graph of (layer, server) with Dijkstra's
// algorithm for every request; here the graph is folded until little is left.
//
// Choice: used to its end, a node stands in a route once at most, and what comes after it depends on its end alone and
// on its region r, which says what hops cost:
//     to_go(r, a) = min over regions q of hop(r, q) + on(q, a),
//     on(q, a) = min over ends e > a of cell(q, a, e) + to_go(q, e),
//     cell(q, a, e) = min over nodes [f, e) of region q with f <= a of wait + (e - a) per_layer.
// The cells know nothing of to_go: when a load changes, only the column of that node's end changes, and there only what
// lies above the node in a tournament of rows. The sums over all columns are made anew for each route: a load on the
// best way changes nearly all of them. They are straight runs over memory, the columns from the last border to the
// first, each offering to all borders it can be entered at.
//
// Hops between regions are bounds from below at worst, and so is the table then, a consistent one, which is what the
// search of route_dp.cc goes by.
//
// Cost: with n nodes of s layers each, E ends and R regions, a changed load costs s log(n/E), a route at most n · s and
// at most R E²/2 sums, whichever is less, and R for each column's hops. Room: 2 n s cells at most for each level that
// is asked for.
#include "core/pipeline/route/to_go.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sy::pipeline {

Columns::Columns(const Shards& shards) {
    find_columns(shards);
    seat_members(shards);
}

void Columns::find_columns(const Shards& shards) {
    const std::uint32_t regions = shards.regions().count();
    std::vector<bool> ends((std::size_t{shards.layers()} + 1) * regions);
    for (NodeIndex node = 0; node < shards.size(); ++node)
        if (shards.holds(node))
            ends[std::size_t{shards.at(node).range.end} * regions + shards.regions().of(node)] = true;
    entries_.push_back(0);
    for (Layer border = 1; border <= shards.layers(); ++border) {
        const auto entry = static_cast<std::uint32_t>(entries_.size());
        for (std::uint32_t region = 0; region < regions; ++region)
            if (ends[std::size_t{border} * regions + region])
                columns_.push_back({.end = border, .region = region, .end_entry = entry});
        if (border < shards.layers() && !columns_.empty() && columns_.back().end == border) entries_.push_back(border);
    }
}

void Columns::seat_members(const Shards& shards) {
    const std::uint32_t regions = shards.regions().count();
    std::vector<std::uint32_t> column_at((std::size_t{shards.layers()} + 1) * regions, kNone);
    for (std::uint32_t c = 0; c < columns_.size(); ++c)
        column_at[std::size_t{columns_[c].end} * regions + columns_[c].region] = c;
    std::vector<std::vector<NodeIndex>> seats(columns_.size());
    for (NodeIndex node = 0; node < shards.size(); ++node)
        if (shards.holds(node))
            seats[column_at[std::size_t{shards.at(node).range.end} * regions + shards.regions().of(node)]].push_back(
                node);

    place_.assign(shards.size(), kNone);
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        column.first_member = static_cast<std::uint32_t>(members_.size());
        column.first_entry = column.end_entry;
        for (const NodeIndex node : seats[c]) {
            const auto first = std::lower_bound(entries_.begin(), entries_.end(), shards.at(node).range.first);
            const auto entry = static_cast<std::uint32_t>(first - entries_.begin());
            column.first_entry = std::min(column.first_entry, entry);
            place_[node] = static_cast<std::uint32_t>(members_.size());
            members_.push_back({node, entry, column.end_entry});
            column_of_.push_back(c);
        }
        column.end_member = static_cast<std::uint32_t>(members_.size());
        column.root = cells_;
        cells_ += column.width();
    }
    // The columns' own rows lie together: they are all that a route reads.
    for (Column& column : columns_) {
        column.rows = cells_;
        cells_ += 2 * (column.blocks() - 1) * column.width();
    }
}

void ToGo::follow(const Shards& shards, const Columns& columns, Level level) {
    if (started_ && shards.version() == seen_) return;
    if (!started_ || !shards.remembers(seen_)) {
        take_all(shards, columns, level);
    } else {
        for (std::uint64_t n = seen_.changes; n < shards.version().changes; ++n)
            if (const auto member = columns.member_of(shards.change(n).node); member != Columns::kNone)
                take(shards, columns, member, level);
    }
    add_up(shards, columns);
    seen_ = shards.version();
    started_ = true;
}

void ToGo::take_all(const Shards& shards, const Columns& columns, Level level) {
    offers_.clear();
    for (std::uint32_t m = 0; m < columns.members().size(); ++m)
        offers_.push_back(offer_of(shards, columns.members()[m].node, level));
    cells_.resize(columns.cells());
    entries_ = static_cast<std::uint32_t>(columns.entries().size());
    on_.resize(std::size_t{entries_} * shards.regions().count());
    after_.resize(columns.columns().size());
    for (const Columns::Column& column : columns.columns()) {
        for (std::uint32_t block = 0; block < column.blocks(); ++block) fill_block(columns, column, block);
        for (std::uint32_t row = column.blocks() - 1; row > 0; --row) play(column, row);
    }
}

void ToGo::take(const Shards& shards, const Columns& columns, std::uint32_t member, Level level) {
    const Offer now = offer_of(shards, columns.members()[member].node, level);
    const Offer before = std::exchange(offers_[member], now);
    if (now == before) return;
    const Columns::Column& column = columns.columns()[columns.column_of(member)];
    const std::uint32_t block = (member - column.first_member) / Columns::kBlock;
    std::uint32_t row = column.blocks() + block;
    if (now.cheaper_than(before)) {
        // It can only lower cells, and needs no match with others to do so.
        for (; row > 0; row /= 2) put(columns, column, member, cells_.data() + column.row(row));
        return;
    }
    fill_block(columns, column, block);
    for (row /= 2; row > 0; row /= 2) play(column, row);
}

void ToGo::fill_block(const Columns& columns, const Columns::Column& column, std::uint32_t block) {
    Nanoseconds* row = cells_.data() + column.row(column.blocks() + block);
    std::fill_n(row, column.width(), kOutOfReach);
    const std::uint32_t first = column.first_member + block * Columns::kBlock;
    const std::uint32_t end = std::min(first + Columns::kBlock, column.end_member);
    for (std::uint32_t member = first; member < end; ++member) put(columns, column, member, row);
}

void ToGo::put(const Columns& columns, const Columns::Column& column, std::uint32_t member, Nanoseconds* row) {
    const Offer& offer = offers_[member];
    const Layer* border = columns.entries().data();
    std::uint32_t entry = columns.members()[member].first_entry;
    Nanoseconds* cell = row + (entry - column.first_entry);
    if (entry == 0) {
        *cell = std::min(*cell, offer.from_client);
        ++cell;
        ++entry;
    }
    for (; entry < column.end_entry; ++entry, ++cell)
        *cell = std::min(*cell, offer.from_node - offer.per_layer * border[entry]);
}

void ToGo::play(const Columns::Column& column, std::uint32_t row) {
    Nanoseconds* winner = cells_.data() + column.row(row);
    const Nanoseconds* left = cells_.data() + column.row(2 * row);
    const Nanoseconds* right = cells_.data() + column.row(2 * row + 1);
    for (std::uint32_t i = 0; i < column.width(); ++i) winner[i] = std::min(left[i], right[i]);
}

std::uint32_t ToGo::best_member(const Shards& shards, const Columns& columns, const Columns::Column& column,
                                std::uint32_t entry) const {
    const Nanoseconds least = cell(column, entry);
    const auto used = [&](std::uint32_t m) {
        const NodeIndex node = columns.members()[m].node;
        return std::pair(shards.last_used(node), node);
    };
    std::uint32_t best = Columns::kNone;
    const std::uint32_t blocks = column.blocks();
    const auto look = [&](const auto& self, std::uint32_t row) -> void {
        if (cells_[column.row(row) + entry - column.first_entry] != least) return;
        if (row < blocks) {
            self(self, 2 * row);
            self(self, 2 * row + 1);
            return;
        }
        const std::uint32_t first = column.first_member + (row - blocks) * Columns::kBlock;
        for (std::uint32_t m = first; m < std::min(first + Columns::kBlock, column.end_member); ++m) {
            if (columns.members()[m].first_entry > entry || through(columns, m, entry) != least) continue;
            if (best == Columns::kNone || used(m) < used(best)) best = m;
        }
    };
    look(look, 1);
    return best;
}

void ToGo::add_up(const Shards& shards, const Columns& columns) {
    std::fill(on_.begin(), on_.end(), kOutOfReach);
    for (auto c = static_cast<std::uint32_t>(columns.columns().size()); c-- > 0;) {
        const Columns::Column& column = columns.columns()[c];
        // All that ends later has been offered to this column's end.
        const Nanoseconds rest = to_go(shards.regions(), column.region, column.end_entry);
        after_[c] = rest;
        if (rest >= kOutOfReach) continue;
        const Nanoseconds* cell = cells_.data() + column.root;
        Nanoseconds* sum = on_.data() + std::size_t{column.region} * entries_ + column.first_entry;
        const std::size_t count = column.width();
        for (std::size_t i = 0; i < count; ++i) sum[i] = std::min(sum[i], cell[i] + rest);
    }
    whole_ = kOutOfReach;
    for (std::uint32_t region = 0; region < shards.regions().count(); ++region)
        whole_ = std::min(whole_, on_[std::size_t{region} * entries_]);
}

Nanoseconds ToGo::to_go(const Regions& regions, std::uint32_t region, std::uint32_t entry) const {
    if (entry == entries_) return 0;
    Nanoseconds least = kOutOfReach;
    const std::span<const Duration> hops = regions.hops_from(region);
    const Nanoseconds* on = on_.data() + entry;
    for (std::size_t next = 0; next < hops.size(); ++next, on += entries_)
        least = std::min(least, hops[next].count() + *on);
    return least;
}

}  // namespace sy::pipeline
