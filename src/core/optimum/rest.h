// Rest bound: what the pieces that are not placed yet cost at least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/optimum/partial.h"
#include "core/optimum/pooled.h"
#include "core/optimum/small.h"

namespace sy::optimum {

class RestBound {
public:
    using Time = Small::Time;

    explicit RestBound(const Small& small);

    /// On the cost of all pieces together; nothing where some deadline cannot be kept.
    std::optional<Cost> bound(const Partial& partial);

private:
    /// One resource with one weighing.
    struct View {
        std::int64_t rate = 0;
        std::vector<std::int64_t> shares;
    };
    /// From here on so much is free, until the next one.
    struct Stretch {
        Time from = 0;
        std::int64_t work = 0;  ///< That could be done before.
        std::int64_t rate = 0;
    };

    void add_views(std::size_t resource);
    void look_at_rest(const Partial& partial);
    void read_clock(const Partial& partial, const View& view);
    void load_machine(const View& view);
    std::int64_t work_at(Time at) const;
    Time time_of(std::int64_t work) const;
    void raise_ends_by_ranks();
    bool deadlines_can_be_kept() const;
    Cost by_ranks() const;
    void rank_by_ratio();
    Cost by_means();

    const Small& small_;
    Time horizon_ = 0;
    std::vector<View> views_;
    // Of the partial in hand. `rest_` by first room.
    std::vector<std::size_t> rest_;
    std::vector<Time> soonest_;  ///< Start, by piece.
    std::vector<Time> ends_;     ///< The k-th end is at least that.
    std::vector<Stretch> clock_;
    std::vector<Load> loads_;
    std::vector<std::size_t> loaded_;  ///< Pieces, by load.
    Cost unloaded_cost_ = 0;           ///< Of those without a load, each alone.
    std::vector<std::int64_t> keys_;
    std::vector<Cost> moments_;
    PooledMachine machine_;
};

}  // namespace sy::optimum
