#include "core/pipeline/route/route_rr.h"

#include "core/pipeline/route/disjoint.h"

namespace sy::pipeline {

RouteAnswer RrRouter::route(const Shards& shards, const Ask& ask) {
    if (!found_ || shards.shape() != shape_) {
        pipelines_ = disjoint_pipelines(shards);
        next_ = 0;
        shape_ = shards.shape();
        found_ = true;
    }
    for (std::size_t tried = 0; tried < pipelines_.size(); ++tried) {
        const Pipeline& pipeline = pipelines_[next_];
        next_ = next_ + 1 == pipelines_.size() ? 0 : next_ + 1;
        if (shards.passable(pipeline)) return Route{pipeline, shards.expected(pipeline, ask.level), ask.level};
    }
    // There may be a way that leaves one pipeline for another; it is not one of ours.
    if (const auto obstacle = shards.obstacle()) return *obstacle;
    return *shards.obstacle(pipelines_.front());
}

}  // namespace sy::pipeline
