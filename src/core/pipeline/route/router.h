// Router: which way a request goes through the nodes that hold layers now (L5, L6).
//
// A router chooses and remembers what it needs for that; it counts nothing. Whoever takes its route says so with
// Shards::begin and Shards::end. The same calls give the same routes.
//
// To add one: derive, add a line to routers.cc, write the test.
#pragma once

#include <vector>

#include "core/pipeline/route/route.h"
#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

/// A way and the part of all requests that should take it.
struct WeightedPath {
    Pipeline stages;
    Rate rate = 0;

    friend bool operator==(const WeightedPath&, const WeightedPath&) = default;
};

class Router {
public:
    virtual ~Router() = default;

    virtual RouteAnswer route(const Shards& shards, const Ask& ask) = 0;
    /// The paths of a greatest flow over the present shards; only `flow` heeds them.
    virtual void weigh(std::vector<WeightedPath> /*paths*/) {}
};

}  // namespace sy::pipeline
