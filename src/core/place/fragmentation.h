// Fragmentation: keeps room for what usually comes.
//
// After Weng et al., "Beware of Fragmentation" (USENIX ATC 2023): the free GPUs of a node that a typical job could not
// use are waste; a job goes where the waste, weighed with how often each gang size has come so far, grows least. A gang
// wider than the node can use it only whole. Counts are whole numbers, so no machine decides differently.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/place/placement.h"

namespace sy::place {

class Fragmentation final : public Placement {
public:
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override;
    void arrived(const Demand& demand) override;
    void save(ByteWriter& writer) const override;
    bool load(ByteReader& reader) override;

private:
    std::int64_t waste(GpuCount free, GpuCount size) const;

    struct Seen {
        GpuCount gang = 0;
        std::int64_t count = 0;

        static constexpr auto fields() { return std::tuple{&Seen::gang, &Seen::count}; }
    };

    std::vector<Seen> seen_;  ///< By gang.
};

}  // namespace sy::place
