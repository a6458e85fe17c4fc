// Placement: where on the floor a job goes.
//
// A placement looks at what is free and answers with a seat or with nothing; it changes nothing there.
//
// To add one: derive, answer `find`, add a line to registry.cc, write the test. Nothing else changes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/codec.h"
#include "base/time.h"
#include "core/place/floor.h"

namespace sy::place {

/// What a job would like.
struct Wish {
    NameId model;
    Instant now;  ///< When it would start.
};

/// A model that lies on several neighbours as one.
struct LedGang {
    NameId model;
    GpuCount gpus = 0;
};

/// A GPU as one may prefer it to another.
struct GpuView {
    std::vector<NameId> models;  ///< That it keeps loaded.
    std::vector<LedGang> leads;  ///< Those of them that lie on its neighbours as well, from this GPU on.
    bool room_for_another = true;
    Bytes free;  ///< Memory that nobody uses, models included.
    Bytes total;
    std::uint8_t temperature_c = 0;
    std::uint8_t utilization_percent = 0;
    Instant idle_since;
};

class Placement {
public:
    virtual ~Placement() = default;

    virtual std::optional<Seat> find(const Floor& floor, const Demand& demand) const = 0;

    /// A seat, no matter which, wherever `find` has one.
    virtual std::optional<Seat> find_any(const Floor& floor, const Demand& demand) const { return find(floor, demand); }

    /// As `find`, for a job with a wish. A wish makes one seat better than another, and is never a condition. The floor
    /// is the one of which `set_free` tells.
    virtual std::optional<Seat> find_for(const Floor& floor, const Demand& demand, const Wish&) const {
        return find(floor, demand);
    }
    /// How a GPU is from now on.
    virtual void set_view(NodeId, GpuCount /*at*/, GpuView) {}
    /// Whether it is free from now on, where GPUs are known one by one.
    virtual void set_free(NodeId, GpuCount /*at*/, bool /*free*/) {}

    /// A job with this demand has come.
    virtual void arrived(const Demand&) {}
    /// What it remembers of those that came, as bytes and back; false where the bytes cannot be such a memory.
    virtual void save(ByteWriter&) const {}
    virtual bool load(ByteReader&) { return true; }
    /// Whether nodes do not matter: the floor may be one pool for each kind of GPU.
    virtual bool pools() const { return false; }
};

/// All GPUs of a kind as if they were in one node, with nothing but GPUs to run out of.
std::vector<NodeSpec> pooled(std::span<const NodeSpec> nodes);

/// The empty floor a placement works on.
inline Floor floor_for(const Placement& placement, std::span<const NodeSpec> nodes, bool neighbours = false) {
    if (neighbours) return Floor::of_neighbours(nodes);
    return placement.pools() ? Floor(pooled(nodes), false) : Floor(nodes);
}

/// For a job wider than every node: wholly free nodes by number while they are needed to the last GPU, and the rest
/// on the node with the most free GPUs of those not yet taken, lowest number first.
std::optional<Seat> wide_seat(const Floor& floor, const Demand& demand);

inline Seat on_one_node(const Floor& floor, NodeId node, const Demand& demand) {
    return Seat{floor.share_of(node, demand, demand.gpus), {}};
}

/// The common shape: `pick` a node for jobs that one can hold, wide_seat for the others.
template <class Pick>
std::optional<Seat> seat_on(const Floor& floor, const Demand& demand, Pick pick) {
    if (demand.gpus > floor.free_gpus()) return std::nullopt;
    if (demand.gpus > floor.largest_node(demand)) return wide_seat(floor, demand);
    const std::optional<NodeId> node = pick();
    return node ? std::optional(on_one_node(floor, *node, demand)) : std::nullopt;
}

}  // namespace sy::place
