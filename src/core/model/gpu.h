// Gpu: what a node brings, and how a place on the cluster is named.
#pragma once

#include <cstdint>
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

/// Consecutive GPUs of one node: where one task runs. A gang is a span of more than one (P9).
struct GpuSpan {
    GpuId first;
    GpuCount count = 1;

    /// The GPU whose worker runs the process.
    GpuId lead() const { return first; }
    GpuId end() const { return GpuId(first.value() + count); }
    bool contains(GpuId gpu) const { return first <= gpu && gpu < end(); }

    static constexpr auto fields() { return std::tuple{&GpuSpan::first, &GpuSpan::count}; }
    friend bool operator==(const GpuSpan&, const GpuSpan&) = default;
};

}  // namespace sy
