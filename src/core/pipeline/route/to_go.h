// ToGo: for every border between layers, the least time from there to the end of the model and back to the client.
//
// By the region of the node that is left (core/pipeline/route/regions.h). Exact where hops are those between regions;
// otherwise, with load on links or nodes that are alike to nobody, a bound from below. Tables are kept between routes
// and mended where loads changed; what they say is always what a fresh one would say.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/pipeline/route/offer.h"
#include "core/pipeline/route/price.h"
#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

/// Who ends where: what stays the same while only loads change.
///
/// A stage begins at border 0 or where another ends, so no other border counts. Nodes of one region with the same end
/// form a column, in blocks of kBlock; a column of k blocks has 2k - 1 rows of cells, a tournament: block b has row k +
/// b, row r the lesser of 2r and 2r + 1 in every cell, and row 1 is the column's own.
class Columns {
public:
    static constexpr std::uint32_t kBlock = 4;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    struct Member {
        NodeIndex node = 0;
        std::uint32_t first_entry = 0;  ///< The first of entries() that lies in its layers.
        std::uint32_t end_entry = 0;    ///< Its end's, or the number of all entries.
    };
    struct Column {
        Layer end = 0;
        std::uint32_t region = 0;
        std::uint32_t first_entry = 0;  ///< Where its cells begin; they are one for each entry up to end_entry.
        std::uint32_t end_entry = 0;
        std::uint32_t first_member = 0;
        std::uint32_t end_member = 0;
        std::uint32_t root = 0;  ///< The place of row 1's first cell.
        std::uint32_t rows = 0;  ///< The place of row 2's first cell; the others follow.

        std::uint32_t width() const { return end_entry - first_entry; }
        std::uint32_t blocks() const { return (end_member - first_member + kBlock - 1) / kBlock; }
        std::uint32_t row(std::uint32_t r) const { return r == 1 ? root : rows + (r - 2) * width(); }
    };

    Columns() = default;
    explicit Columns(const Shards& shards);

    /// Borders where a stage can begin, in order; border 0 is always the first.
    const std::vector<Layer>& entries() const { return entries_; }
    /// By their ends, the last layer's last, and then by region.
    const std::vector<Column>& columns() const { return columns_; }
    const std::vector<Member>& members() const { return members_; }
    std::uint32_t cells() const { return cells_; }
    /// Its place among the members, or kNone.
    std::uint32_t member_of(NodeIndex node) const { return node < place_.size() ? place_[node] : kNone; }
    std::uint32_t column_of(std::uint32_t member) const { return column_of_[member]; }
    /// Some node ends with the last layer.
    bool reaches_the_end() const { return !columns_.empty() && columns_.back().end_entry == entries_.size(); }

private:
    void find_columns(const Shards& shards);
    void seat_members(const Shards& shards);

    std::vector<Layer> entries_;
    std::vector<Column> columns_;
    std::vector<Member> members_;  ///< Column after column, each by node.
    std::vector<std::uint32_t> column_of_;
    std::vector<std::uint32_t> place_;
    std::uint32_t cells_ = 0;
};

class ToGo {
public:
    /// Takes over what changed. `columns` must be those of the shards' shape, the same ones at each call until
    /// restart().
    void follow(const Shards& shards, const Columns& columns, Level level);
    /// Everything is looked at anew when asked next.
    void restart() { started_ = false; }

    /// The whole way, from the client; kOutOfReach or more where there is none.
    Nanoseconds whole() const { return whole_; }
    /// Past the end of the column, the hop from there included.
    Nanoseconds after(std::uint32_t column) const { return after_[column]; }
    /// From this border, entered at a node of this region, to the end: without the hop there, but from the client.
    Nanoseconds on(std::uint32_t region, std::uint32_t entry) const {
        return on_[std::size_t{region} * entries_ + entry];
    }
    /// The least of all its members entered there, waiting included, and from the client the hop as well.
    Nanoseconds cell(const Columns::Column& column, std::uint32_t entry) const {
        return cells_[column.root + entry - column.first_entry];
    }
    /// The member that gives the column's cell its value; of several the one left alone for longest, then the lowest.
    std::uint32_t best_member(const Shards& shards, const Columns& columns, const Columns::Column& column,
                              std::uint32_t entry) const;
    /// Of this member, entered there, which must be one of its layers.
    Nanoseconds through(const Columns& columns, std::uint32_t member, std::uint32_t entry) const {
        const Offer& offer = offers_[member];
        return entry == 0 ? offer.from_client : offer.from_node - offer.per_layer * columns.entries()[entry];
    }

private:
    void take_all(const Shards& shards, const Columns& columns, Level level);
    void take(const Shards& shards, const Columns& columns, std::uint32_t member, Level level);
    void fill_block(const Columns& columns, const Columns::Column& column, std::uint32_t block);
    void put(const Columns& columns, const Columns::Column& column, std::uint32_t member, Nanoseconds* row);
    void play(const Columns::Column& column, std::uint32_t row);
    void add_up(const Shards& shards, const Columns& columns);
    /// From a node of this region, who has got this far.
    Nanoseconds to_go(const Regions& regions, std::uint32_t region, std::uint32_t entry) const;

    bool started_ = false;
    Shards::Version seen_;
    std::vector<Offer> offers_;  ///< By member.
    std::vector<Nanoseconds> cells_;
    std::uint32_t entries_ = 0;
    Nanoseconds whole_ = kOutOfReach;
    std::vector<Nanoseconds> on_;     ///< By region and entry: to the end, through a node of that region.
    std::vector<Nanoseconds> after_;  ///< By column.
};

}  // namespace sy::pipeline
