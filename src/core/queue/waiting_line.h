// WaitingLine: the waiting tasks in order, with exact positions.
//
// It knows nothing of tasks but their rank, number and id, and never changes them: a task whose rank or number changes
// leaves and comes back. Numbers settle ties of rank. A task's own is its id times kBetweenNumbers, so that it stands
// where it came, and there is room for others to be moved between two neighbours (G1).
#pragma once

#include <compare>
#include <cstdint>

#include "base/ids.h"
#include "core/queue/order.h"
#include "core/queue/sorted_line.h"

namespace sy::queue {

using LineNumber = std::int64_t;
inline constexpr LineNumber kBetweenNumbers = 16;

constexpr LineNumber own_number(TaskId task) {
    return static_cast<LineNumber>(task.value()) * kBetweenNumbers;
}

struct Place {
    Rank rank = 0;
    LineNumber number = 0;
    TaskId task;

    constexpr Place() = default;
    constexpr Place(Rank its_rank, TaskId its_id) : Place(its_rank, own_number(its_id), its_id) {}
    constexpr Place(Rank its_rank, LineNumber its_number, TaskId its_id)
        : rank(its_rank), number(its_number), task(its_id) {}

    friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

using WaitingLine = SortedLine<Place>;

}  // namespace sy::queue
