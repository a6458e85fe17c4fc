// What a question may cost. Each is tested at it and one past it.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace sy::whatif {

struct Limits {
    std::size_t jobs = 200'000;       ///< Of a trace.
    std::size_t live_tasks = 20'000;  ///< Of the live queue: those that came first. Taken on the service's own thread.
    std::size_t orders = 16;          ///< Tried for one question, that in force included.
    std::size_t spells = 10'000;      ///< Bars of one order's chart, from the beginning.
    Duration work = 30s;              ///< On one question, once it is its turn.
    std::size_t in_line = 4;          ///< Questions, the one that is worked on included.
    std::size_t small_body =
        64 * 1024;  ///< Read on the service's own thread; what asks for the live queue is that small.
};

}  // namespace sy::whatif
