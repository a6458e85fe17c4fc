// Best fit on resource vectors (S1): the node that would be left with the least, each resource as a share of what the
// node has, summed; lowest number first. Where only GPUs matter and nodes are alike this is `consolidate`.
#pragma once

#include "core/place/placement.h"

namespace sy::place {

class BestFit final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override;
};

}  // namespace sy::place
