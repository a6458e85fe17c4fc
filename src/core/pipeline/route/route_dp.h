// `dp`: the way of least expected time, given present loads (L6, L11).
//
// Least among all chains in which each node is entered at one of its layers, at its first or midway, and is used to its
// end; full nodes take no part. Of ways that take equally long one of the farthest-reaching first stage is taken, and
// of equal nodes the one that was left alone for longest; by the rule of price.h where links are all unlike.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/pipeline/route/neighbours.h"
#include "core/pipeline/route/open_at.h"
#include "core/pipeline/route/outlook.h"
#include "core/pipeline/route/router.h"
#include "core/pipeline/route/to_go.h"
#include "core/pipeline/route/way_search.h"
#include "core/pipeline/route/way_table.h"

namespace sy::pipeline {

class DpRouter final : public Router {
public:
    RouteAnswer route(const Shards& shards, const Ask& ask) override;

private:
    /// A node reached and used to its end.
    struct Reached {
        Nanoseconds spent = 0;
        std::uint32_t from = Columns::kNone;  ///< The member before it.
        std::uint32_t entry = 0;
        std::uint64_t search = 0;  ///< The search that reached it; others have forgotten it.
        bool done = false;
    };
    /// From one member to another, entered there.
    struct Edge {
        std::uint32_t from = Columns::kNone;
        std::uint32_t to = 0;
        std::uint32_t entry = 0;
    };
    /// One that waits to be gone on from.
    struct Open {
        Nanoseconds total = 0;  ///< At least, to the end.
        std::uint32_t end_entry = 0;
        std::uint64_t last_used = 0;
        std::uint32_t member = 0;
        Nanoseconds spent = 0;

        bool comes_after(const Open& other) const;
    };

    void survey(const Shards& shards);
    RouteAnswer route_by_links(const Shards& shards, Level level);
    Way find_way(const Shards& shards, Level level);
    /// The way the table goes by.
    Pipeline read_off(const Shards& shards, const ToGo& to_go) const;
    /// The one that leads on from the end of this column, or from the client.
    std::uint32_t best_column(const Regions& regions, const ToGo& to_go, std::uint32_t from) const;
    /// A quicker way than this one, which costs more than the table promised; or this one.
    Route search(const Shards& shards, const ToGo& to_go, Route best);
    /// Opens all that can follow the member and may still be quicker than the limit.
    void go_on(const Shards& shards, const ToGo& to_go, std::uint32_t from, Nanoseconds limit);
    void open(const Shards& shards, const Edge& edge, Nanoseconds before_hop, Nanoseconds rest, Nanoseconds limit);
    Pipeline traced(std::uint32_t last) const;
    Stage stage_of(std::uint32_t member, std::uint32_t entry) const;

    bool surveyed_ = false;
    std::uint64_t shape_ = 0;
    Columns columns_;
    OpenAt open_at_;
    std::array<ToGo, 4> to_go_;  ///< By level, where regions tell what hops cost.

    Neighbours neighbours_;
    bool look_at_all_ = false;
    std::array<Outlook, 4> outlooks_;  ///< By level, where they do not.
    WaySearch way_search_;
    std::array<WayTable, 4> way_tables_;  ///< Likewise, where all pairs of nodes are looked at.

    std::uint64_t searches_ = 0;
    std::vector<Reached> reached_;  ///< By member.
    std::vector<Open> open_;        ///< A heap.
};

}  // namespace sy::pipeline
