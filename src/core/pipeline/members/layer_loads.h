// Layer loads: how much of what each layer's holders can take is asked for.
//
// Every request passes every layer, so the layer of the greatest load is where a mesh is full first. A load is counted
// in millionths, of the tokens its holders put through or of the requests they have memory for, whichever is more.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pipeline/flow/flow_graph.h"

namespace sy::pipeline {

using Load = std::int64_t;
inline constexpr Load kFullLoad = 1'000'000;
/// Of a layer that nobody holds, and more than any other.
inline constexpr Load kEndlessLoad = 1'000'000'000'000;

/// What is asked of the whole mesh.
struct Pressure {
    Rate tokens = 0;             ///< A second.
    std::uint64_t requests = 0;  ///< At once.
};

/// What somebody can take at once.
struct Capacity {
    Rate rate = 0;
    std::int64_t requests = 0;

    friend bool operator==(const Capacity&, const Capacity&) = default;
};
/// Of a node with these layers, which must fit it. Nothing for no layers.
Capacity capacity_of(const Costs& costs, NodeIndex node, Range range);
/// How much of it is asked for.
Load load_of(const Pressure& pressure, Capacity capacity);

/// What the holders of each layer can take together, kept up to date while ranges change.
class LayerLoads {
public:
    explicit LayerLoads(Layer layers) : takes_(layers), holders_(layers) {}
    LayerLoads(const Costs& costs, const std::vector<Range>& ranges);

    /// The range must fit the node. An empty one is nothing.
    void add(const Costs& costs, NodeIndex node, Range range) { count(costs, node, range, 1); }
    void remove(const Costs& costs, NodeIndex node, Range range) { count(costs, node, range, -1); }

    Layer layers() const { return static_cast<Layer>(holders_.size()); }
    Capacity capacity(Layer layer) const { return takes_[layer]; }
    Load at(Layer layer, const Pressure& pressure) const;
    /// Of the fullest layer.
    Load most(const Pressure& pressure) const;
    /// The first run of layers that are as full as that.
    Range fullest(const Pressure& pressure) const;

    std::uint32_t holders(Layer layer) const { return holders_[layer]; }
    bool all_held() const;
    bool any_held() const;
    /// All layers that nobody holds lie in it; empty where there are none.
    Range gap() const;
    /// Of the layer that lets fewest through.
    Rate least_rate() const;

    friend bool operator==(const LayerLoads&, const LayerLoads&) = default;

private:
    void count(const Costs& costs, NodeIndex node, Range range, int sign);

    std::vector<Capacity> takes_;
    std::vector<std::uint32_t> holders_;
};

std::vector<Hold> holds_of(const std::vector<Range>& ranges);

/// What the nodes put through together, of which `loads` must be the sum: the greatest flow, or with more than
/// kMostFlowed of them the rates of the layer that lets fewest through.
Rate served_rate(const Costs& costs, const std::vector<Range>& ranges, const LayerLoads& loads);
inline constexpr std::size_t kMostFlowed = 256;

/// The load of the whole mesh: of its fullest layer, or of its hops where they let less through.
Load load_of(const Costs& costs, const std::vector<Range>& ranges, const LayerLoads& loads, const Pressure& pressure);
/// `part` of `whole`, in millionths.
Load load_of(std::int64_t part, std::int64_t whole);

}  // namespace sy::pipeline
