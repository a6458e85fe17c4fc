// `dp`: the way of least expected time, given present loads (L6, L11).
//
// Least among all chains in which each node is entered at one of its layers, at its first or midway, and is used to its
// end; full nodes take no part. Of ways that take equally long one of the farthest-reaching first stage is taken, and
// of equal nodes the one that was left alone for longest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/pipeline/route/router.h"
#include "core/pipeline/route/to_go.h"

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
    /// Where all hops between nodes cost the same the table has the answer.
    Pipeline read_off(const Shards& shards, const ToGo& to_go) const;
    std::uint32_t best_member(const Shards& shards, const ToGo& to_go, std::uint32_t entry) const;
    /// Otherwise it leads the way.
    Route search(const Shards& shards, const ToGo& to_go, Level level);
    void go_on(const Shards& shards, const ToGo& to_go, std::uint32_t from, std::uint32_t entry);
    Pipeline traced(std::uint32_t last) const;
    Stage stage_of(std::uint32_t member, std::uint32_t entry) const;

    bool surveyed_ = false;
    std::uint64_t shape_ = 0;
    Columns columns_;
    std::vector<std::vector<std::uint32_t>> open_at_;  ///< Members that hold the layer behind an entry, by entry.
    std::array<ToGo, 4> to_go_;                        ///< By level.

    std::uint64_t searches_ = 0;
    std::vector<Reached> reached_;  ///< By member.
    std::vector<Open> open_;        ///< A heap.
};

}  // namespace sy::pipeline
