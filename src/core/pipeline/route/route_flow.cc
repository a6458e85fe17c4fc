// Problem: hand out paths so that each comes up as often as its rate, evenly spread, without chance.
//
// Source: stride scheduling (Waldspurger and Weihl, 1995). Every path has a stride, the inverse of its rate, and the
// one whose turn is due first is taken; its next is a stride later. First turns are due after half a stride, which
// gives the divisor method of Sainte-Laguë: after any number of requests no path can be nearer to its part by giving
// one to another.
//
// Choice: a path that is full is passed over and keeps its turn, but is not owed what it missed: a turn that comes late
// counts from now on. Otherwise it would get a burst of all it missed, on nodes that were just full.
//
// Cost: O(log paths) for each path looked at. A stride has 40 bits behind the point, in units of one request, so
// roundings take 10^12 turns to come to one.
#include "core/pipeline/route/route_flow.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace sy::pipeline {

void FlowRouter::weigh(std::vector<WeightedPath> paths) {
    paths_ = std::move(paths);
    const auto empty = [](const WeightedPath& path) { return path.rate <= 0 || path.stages.empty(); };
    paths_.erase(std::remove_if(paths_.begin(), paths_.end(), empty), paths_.end());
    UnsignedWide total = 0;
    for (const WeightedPath& path : paths_) total += static_cast<UnsignedWide>(path.rate);
    strides_.clear();
    turns_.clear();
    for (std::uint32_t p = 0; p < paths_.size(); ++p) {
        strides_.push_back((total << 40) / static_cast<UnsignedWide>(paths_[p].rate));
        turns_.push_back({strides_[p] / 2, p});
    }
    std::make_heap(turns_.begin(), turns_.end(), std::greater<>());
}

RouteAnswer FlowRouter::route(const Shards& shards, const Ask& ask) {
    // Those passed over gather behind the heap's end, the one taken just before them.
    auto end = turns_.end();
    for (; end != turns_.begin(); --end) {
        std::pop_heap(turns_.begin(), end, std::greater<>());
        if (shards.passable(paths_[(end - 1)->path].stages)) break;
    }
    if (end == turns_.begin()) {
        std::make_heap(turns_.begin(), turns_.end(), std::greater<>());
        return why_none(shards);
    }
    Turn& taken = *(end - 1);
    const Pipeline& stages = paths_[taken.path].stages;
    const UnsignedWide now = taken.due;
    taken.due += strides_[taken.path];
    std::for_each(end, turns_.end(), [&](Turn& passed) { passed.due = std::max(passed.due, now); });
    for (auto last = end;; ++last) {
        std::push_heap(turns_.begin(), last, std::greater<>());
        if (last == turns_.end()) break;
    }
    return Route{stages, shards.expected(stages, ask.level), ask.level};
}

NoRoute FlowRouter::why_none(const Shards& shards) const {
    if (const auto obstacle = shards.obstacle()) return *obstacle;
    for (const WeightedPath& path : paths_)
        if (const auto obstacle = shards.obstacle(path.stages); obstacle->cause == NoRoute::Cause::full)
            return *obstacle;
    return {NoRoute::Cause::unweighted, {0, shards.layers()}};
}

}  // namespace sy::pipeline
