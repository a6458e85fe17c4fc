// WaySearch: the way of least price where links between nodes are known, found by what an Outlook expects.
//
// Exact: the answer is the same whatever the bounds were before, high or low. What the search learns goes back into
// the Outlook, so that the next one looks at less.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pipeline/route/marks.h"
#include "core/pipeline/route/neighbours.h"
#include "core/pipeline/route/open_list.h"
#include "core/pipeline/route/outlook.h"
#include "core/pipeline/route/way.h"

namespace sy::pipeline {

class WaySearch {
public:
    /// What it looks at; all of the same shape, the outlook up to date.
    struct Ground {
        const Shards& shards;
        const Columns& columns;
        Neighbours& neighbours;
        Outlook& outlook;
    };

    /// Where shards have another shape.
    void survey(const Columns& columns);
    Way find(const Ground& ground);

private:
    /// A node reached and used to its end.
    struct Reached {
        Price spent;
        std::uint32_t from = Columns::kNone;  ///< The member before it.
        std::uint32_t entry = 0;
        std::uint64_t search = 0;  ///< The search that reached it; others have forgotten it.
        bool done = false;         ///< Gone on from, and not reached any quicker since.
    };
    /// Of those gone on from that end at an entry: no other led to whom no known link leads as quickly.
    struct Quickest {
        std::uint32_t member = 0;
        std::uint64_t search = 0;
    };
    struct Step {
        std::uint32_t member = Columns::kNone;
        Nanoseconds time = kOutOfReach;  ///< At least, to the end.
        Nanoseconds hop = 0;
    };

    /// What the way costs that always takes what looks best next.
    Price first_try(const Ground& ground, Step step);
    static Step best_start(const Ground& ground);
    Step best_step(const Ground& ground, std::uint32_t from);
    /// Marks all that a known link leads to from the member.
    void mark_known(const Ground& ground, std::uint32_t from);

    void open_starts(const Ground& ground);
    /// Opens all that can follow the member and may still lie on a way within the limit.
    void go_on(const Ground& ground, std::uint32_t from);
    /// All cost the same, so where a quicker one went before only those are left whom that one has a link to.
    void go_on_by_unknown_links(const Ground& ground, std::uint32_t from);
    /// It is open to all, and nobody has reached it earlier than this hop would.
    bool may_reach(const Ground& ground, std::uint32_t from, std::uint32_t to, Nanoseconds hop) const;
    void reach(const Ground& ground, std::uint32_t from, std::uint32_t to, Nanoseconds hop);
    void open(const Ground& ground, std::uint32_t from, std::uint32_t to, const Price& spent);
    Pipeline traced(const Columns& columns, std::uint32_t last) const;

    std::uint64_t searches_ = 0;
    Price limit_;
    std::vector<Reached> reached_;    ///< By member.
    std::vector<Quickest> quickest_;  ///< By entry.
    OpenList open_;
    Marks known_;
    std::vector<std::uint32_t> done_;  ///< Gone on from.
};

}  // namespace sy::pipeline
