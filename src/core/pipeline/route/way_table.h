// WayTable: the way of least price where links between nodes are known, counted anew over everybody who can follow
// anybody.
//
// Gives what WaySearch gives. For grounds where nodes that can follow each other are few enough to look at all of them.
// What each hop takes is kept between routes and mended where loads changed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pipeline/route/neighbours.h"
#include "core/pipeline/route/offer.h"
#include "core/pipeline/route/price.h"
#include "core/pipeline/route/to_go.h"
#include "core/pipeline/route/way.h"

namespace sy::pipeline {

class WayTable {
public:
    /// What it looks at; all of the same shape.
    struct Ground {
        const Shards& shards;
        const Columns& columns;
        const Neighbours& neighbours;
    };

    /// Pairs that can follow each other, at most: some 32 bytes for each, for each level that is asked for.
    static constexpr std::uint64_t kMostPairs = 1U << 20;

    /// Than a search, about, and has room.
    static bool is_quicker(const Ground& ground);

    /// Takes over what changed. The ground must be of the same shape at each call until restart().
    void follow(const Ground& ground, Level level);
    /// Everything is looked at anew when asked next.
    void restart() { started_ = false; }
    /// By what follow() took over last.
    Way find(const Ground& ground);

private:
    /// Known links to a member from those whom it can follow: a run of links_, nearest first.
    struct Row {
        std::uint32_t first = 0;
        std::uint32_t end = 0;
        bool whole = false;  ///< From all of them.
    };
    struct Link {
        Nanoseconds idle = 0;    ///< Its time without load.
        Nanoseconds hop = 0;     ///< At present.
        std::uint32_t from = 0;  ///< The member.
    };
    struct Place {
        std::uint32_t from = 0;
        std::uint32_t link = 0;  ///< In links_.
    };
    /// What the least way to where somebody ends takes.
    struct Spent {
        Nanoseconds time = kOutOfReach;
        Nanoseconds border = 0;

        /// Of who goes on from there, as if from layer 0, so that all that can follow can be compared.
        Nanoseconds time_for(Nanoseconds per_layer) const { return time - per_layer * border; }
    };
    /// How a member is reached by the way of least price.
    struct Reached {
        std::int64_t used = 0;
        std::int64_t nodes = 0;
        NodeIndex node = 0;
        std::uint32_t from = Columns::kNone;  ///< The member before it.
    };
    /// To a member from another, were it entered at layer 0, without its own time.
    struct Step {
        std::uint32_t from = Columns::kNone;
        Nanoseconds time = kOutOfReach;
    };

    void start(const Ground& ground, Level level);
    void add_row(const Ground& ground, std::uint32_t member);
    void take_link(const Ground& ground, std::uint32_t member, const Shards::Change& change);
    /// The place of the row's link from this member, or kNone.
    std::uint32_t link_from(std::uint32_t from, const Row& row) const;
    void reach(const Ground& ground, std::uint32_t member);
    /// No member that this one can follow is left earlier.
    Nanoseconds earliest(const Columns::Member& member, Nanoseconds per_layer) const;
    /// As quick or quicker than the best by a hop that is not known.
    Step by_unknown_links(const Ground& ground, std::uint32_t member, Step best) const;
    Step by_each_unknown_link(const Row& row, Neighbours::Run run, Nanoseconds per_layer, Step best) const;
    /// Less than the best, so that it takes its place.
    bool is_less(std::uint32_t from, Nanoseconds time, const Step& best) const {
        if (time != best.time) return time < best.time;
        return best.from != Columns::kNone && is_cheaper(from, best.from);
    }
    /// Of ways that take equally long the one to this member is of less price, or ends on the lower node.
    bool is_cheaper(std::uint32_t member, std::uint32_t other) const;
    std::uint32_t cheapest(Neighbours::Run run) const;
    Way traced(std::uint32_t last) const;

    bool started_ = false;
    Shards::Version seen_;
    Nanoseconds unknown_hop_ = 0;
    std::vector<Offer> offers_;  ///< By member, and so are the next three.
    std::vector<Row> rows_;
    std::vector<Spent> spent_;
    std::vector<Reached> reached_;
    std::vector<Spent> least_;             ///< By entry: of those that end there,
    std::vector<std::uint32_t> cheapest_;  ///< and whose that is.
    std::vector<Link> links_;
    std::vector<Place> places_;  ///< Of the links of each row, by from.
};

}  // namespace sy::pipeline
