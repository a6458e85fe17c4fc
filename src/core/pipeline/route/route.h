// Route: the way of one request through the nodes, and what to say where there is none (L6, L8).
#pragma once

#include <cstdint>
#include <variant>

#include "base/time.h"
#include "core/model/task.h"
#include "core/pipeline/placement.h"

namespace sy::pipeline {

/// Who asks for a way.
struct Ask {
    Level level = Level::normal;  ///< Waits behind its own level and those above it only (L11).
};

struct Route {
    Pipeline stages;      ///< The exact layers each node computes, which may be fewer than it holds.
    Duration expected{};  ///< Of one step, waiting and all hops included, when the route was found.
    Level level = Level::normal;

    friend bool operator==(const Route&, const Route&) = default;
};

struct NoRoute {
    enum class Cause : std::uint8_t {
        uncovered,   ///< Nobody holds these layers.
        full,        ///< Whoever holds these layers has no room for another request.
        unweighted,  ///< `flow` was given no path that can be gone now.
    };
    Cause cause = Cause::uncovered;
    Range layers;  ///< The first of them where there are several.

    friend bool operator==(const NoRoute&, const NoRoute&) = default;
};

using RouteAnswer = std::variant<Route, NoRoute>;

}  // namespace sy::pipeline
