// Line: jobs that could run, by the instant for which they were planned; equal ones by number.
//
// Who is given a job elsewhere does not look for it here. Entries that no longer count are dropped when they come to
// the front, so a job costs O(log n) however many lines it stands in.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/plan.h"

namespace sy::execute {

class Line {
public:
    struct Entry {
        Instant rank;
        JobIndex job = 0;

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    void push(Instant rank, JobIndex job) {
        heap_.push_back({rank, job});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    /// The first of whom `counts(entry)` is true.
    template <class Counts>
    std::optional<Entry> first(Counts counts) {
        while (!heap_.empty() && !counts(heap_.front())) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.pop_back();
        }
        return heap_.empty() ? std::nullopt : std::optional(heap_.front());
    }

private:
    std::vector<Entry> heap_;
};

}  // namespace sy::execute
