// Order: who is next in the queue.
//
// An order ranks waiting tasks by what they say of themselves. It sees no GPU, changes nothing and asks no clock. Ties
// are never its business: equal ranks fall back to the task id, which is the order of acceptance, so every order is
// total and every run repeats.
//
// To add one: derive, return a rank, add a line to registry.cc, write the test. Nothing else changes.
#pragma once

#include <cstdint>

#include "core/model/task.h"

namespace sy::queue {

/// Smaller goes first. An integer, so that no machine rounds it differently.
using Rank = std::int64_t;

class Order {
public:
    virtual ~Order() = default;

    virtual Rank rank(const Task& task) const = 0;
};

}  // namespace sy::queue
