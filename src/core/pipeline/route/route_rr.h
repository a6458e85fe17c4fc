// `rr`: the disjoint pipelines in turn; those that are full are passed over (L5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/pipeline/route/router.h"

namespace sy::pipeline {

class RrRouter final : public Router {
public:
    RouteAnswer route(const Shards& shards, const Ask& ask) override;

private:
    bool found_ = false;
    std::uint64_t shape_ = 0;
    std::vector<Pipeline> pipelines_;
    std::size_t next_ = 0;
};

}  // namespace sy::pipeline
