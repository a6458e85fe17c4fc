// WaitingLine: the waiting tasks in order, with exact positions.
//
// It knows nothing of tasks but their rank and id, and never changes a rank: a task whose rank changes leaves and comes
// back.
#pragma once

#include <compare>

#include "base/ids.h"
#include "core/queue/order.h"
#include "core/queue/sorted_line.h"

namespace sy::queue {

struct Place {
    Rank rank = 0;
    TaskId task;

    friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

using WaitingLine = SortedLine<Place>;

}  // namespace sy::queue
