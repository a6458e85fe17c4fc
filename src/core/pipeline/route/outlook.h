// Outlook: for every node, a price that the rest of the way after it has at least, at present loads.
//
// Known links make every pair of nodes a case of its own, and a table of exact prices would change everywhere with
// each request. Bounds may stay too low: who searches by them raises those that were, where it mattered, and a bound
// that a change may have made too high is lowered before the next search. Between two searches no bound is above what
// it is next to: bound(u) <= price(u to v) + bound(v) for every v that can follow u.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/pipeline/route/marks.h"
#include "core/pipeline/route/neighbours.h"
#include "core/pipeline/route/price.h"
#include "core/pipeline/route/to_go.h"

namespace sy::pipeline {

class Outlook {
public:
    /// Takes over what changed. `columns` and `neighbours` must be those of the shards' shape, the same ones at each
    /// call until restart().
    void follow(const Shards& shards, const Columns& columns, Neighbours& neighbours, Level level);
    /// Everything is looked at anew when asked next.
    void restart() { started_ = false; }

    /// From the member, entered at this border by another node, to the end, without the hop to it: at least.
    Nanoseconds time_by(std::uint32_t member, Layer border) const {
        return worth_[member].time - worth_[member].per_layer * border;
    }
    /// No way leads through it at present.
    bool closed(std::uint32_t member) const { return worth_[member].time >= kOutOfReach; }
    Nanoseconds time_from_client(std::uint32_t member) const {
        return std::min(kOutOfReach, offers_[member].from_client + rest_[member].time);
    }
    /// No member that can be entered there has a lesser time_by.
    Nanoseconds least_by(std::uint32_t entry) const { return least_by_[entry].time; }
    /// So many were looked at there. When it was often, the least is counted anew.
    void looked(const Columns& columns, const Neighbours& neighbours, std::uint32_t entry, std::uint32_t times);

    /// Of the member's own layers from the border on, waiting included, and the way to the client where it is the last.
    Nanoseconds own_time(std::uint32_t member, Layer border) const {
        return offers_[member].from_node - offers_[member].per_layer * border;
    }
    Price own(const Shards& shards, const Columns& columns, std::uint32_t member, Layer border) const {
        const NodeIndex node = columns.members()[member].node;
        return {own_time(member, border), static_cast<std::int64_t>(shards.last_used(node)), node};
    }
    /// Entered at layer 0 by the client, the hop included.
    Price own_from_client(const Shards& shards, const Columns& columns, std::uint32_t member) const {
        const NodeIndex node = columns.members()[member].node;
        return {offers_[member].from_client, static_cast<std::int64_t>(shards.last_used(node)), node};
    }
    /// After the member, the hop from it included; nothing where the model ends with it.
    const Price& rest(std::uint32_t member) const { return rest_[member]; }
    /// It is this much at least.
    void raise(const Columns& columns, std::uint32_t member, const Price& rest);

private:
    struct Worth {
        Nanoseconds time = kOutOfReach;  ///< Of its own layers, were it entered at layer 0, and the rest.
        Nanoseconds per_layer = 0;
    };
    struct Least {
        Nanoseconds time = 0;
        std::uint32_t looks = 0;  ///< Since it was counted.
    };

    void start(const Shards& shards, const Columns& columns, const Neighbours& neighbours, Level level);
    void take(const Shards& shards, const Columns& columns, std::uint32_t member, Level level);
    /// The link carries less, so the rest after its first end may be less.
    void relieve(const Shards& shards, const Columns& columns, Shards::LinkIndex link);
    /// Works off those whose price became less, from the last layers to the first.
    void lower_all(const Shards& shards, const Columns& columns, Neighbours& neighbours);
    void lower_those_before(const Shards& shards, const Columns& columns, Neighbours& neighbours, std::uint32_t member);
    /// The rest after `from` may be this hop and the member, if that is less.
    void lower(const Shards& shards, const Columns& columns, std::uint32_t from, Nanoseconds hop, std::uint32_t member);
    /// No hop that takes longer makes anybody expect less who can go to the member.
    Nanoseconds farthest_before(const Columns& columns, std::uint32_t member) const;
    /// Those who expected most may expect less now: one entry after the other is looked at, one with each route.
    void recount_most(const Neighbours& neighbours);
    void mark(std::uint32_t member) { marked_[member / 64] |= std::uint64_t{1} << (member % 64); }
    void add_up(const Columns& columns, std::uint32_t member);

    bool started_ = false;
    Shards::Version seen_;
    std::vector<Offer> offers_;  ///< By member, and so are the next three.
    std::vector<Price> rest_;
    std::vector<Worth> worth_;
    std::vector<std::uint64_t> marked_;   ///< A bit each: its price became less.
    std::vector<Least> least_by_;         ///< By entry.
    std::vector<Nanoseconds> most_rest_;  ///< By entry: no member that ends there expects more.
    std::uint32_t recounted_ = 0;         ///< The entry of which that was counted anew last.
    std::vector<Layer> border_after_;     ///< By member.
    Marks known_;
};

}  // namespace sy::pipeline
