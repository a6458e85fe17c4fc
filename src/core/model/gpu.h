// Gpu: what a node brings, and how a place on the cluster is named.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <tuple>

#include "base/ids.h"
#include "base/units.h"

namespace sy {

using GpuCount = std::uint32_t;

struct GpuSpec {
    Bytes memory;

    static constexpr auto fields() { return std::tuple{&GpuSpec::memory}; }
    friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

/// What an operator lets a GPU do (G2).
enum class GpuDuty : std::uint8_t {
    in_service,
    draining,  ///< What runs may end; nothing new starts.
    reserved,  ///< Not for tasks.
    leaving,   ///< Like draining, by its host's own wish: over when that comes back.
    cut_off,   ///< Likewise, since nobody has a line to its host: what runs there may go on.
    gone,      ///< Its host was forgotten: nobody's, until another takes over its number.
};
constexpr GpuDuty last_of(GpuDuty) {
    return GpuDuty::gone;
}

/// What becomes of a GPU while its worker comes and goes.
struct GpuCondition {
    GpuDuty duty = GpuDuty::in_service;
    bool faulty = false;
    Bytes foreign;  ///< Memory that strangers use.
    std::uint8_t temperature_c = 0;
    std::uint8_t utilization_percent = 0;

    static constexpr auto fields() {
        return std::tuple{&GpuCondition::duty, &GpuCondition::faulty, &GpuCondition::foreign,
                          &GpuCondition::temperature_c, &GpuCondition::utilization_percent};
    }
    friend bool operator==(const GpuCondition&, const GpuCondition&) = default;
};

/// What a node has beside its GPUs (S1). What was not said is without limit.
struct NodeAmounts {
    KindId kind;  ///< Of its GPUs.
    std::uint32_t cpus = std::numeric_limits<std::uint32_t>::max();
    Bytes host_memory{std::numeric_limits<std::uint64_t>::max()};
    Bytes network{std::numeric_limits<std::uint64_t>::max()};  ///< A second.

    static constexpr auto fields() {
        return std::tuple{&NodeAmounts::kind, &NodeAmounts::cpus, &NodeAmounts::host_memory, &NodeAmounts::network};
    }
    friend bool operator==(const NodeAmounts&, const NodeAmounts&) = default;
};

/// Consecutive GPUs of one node: where one task runs. A gang is a span of more than one (P9).
struct GpuSpan {
    GpuId first;
    GpuCount count = 1;

    /// The GPU whose worker runs the process.
    GpuId lead() const { return first; }
    GpuId end() const { return GpuId(first.value() + count); }
    bool contains(GpuId gpu) const { return first <= gpu && gpu < end(); }

    static constexpr auto fields() { return std::tuple{&GpuSpan::first, &GpuSpan::count}; }
    friend auto operator<=>(const GpuSpan&, const GpuSpan&) = default;
};

inline constexpr GpuSpan kAnywhere{GpuId(0), 0};

/// A model that a worker holds: on its own GPU, or on so many from there on. The same model over another number of GPUs
/// is loaded anew.
struct HeldModel {
    NameId model;
    GpuCount gpus = 1;

    static constexpr auto fields() { return std::tuple{&HeldModel::model, &HeldModel::gpus}; }
    friend bool operator==(const HeldModel&, const HeldModel&) = default;
};

}  // namespace sy
