// Vacating: a worker was told to unload models that lie on GPUs where others are to start, and has not said that they
// are gone. What starts on those GPUs by another worker's hand waits for its word; what the same worker starts need
// not, since a worker unloads before it loads.
#pragma once

#include <tuple>
#include <vector>

#include "base/ids.h"

namespace sy::control {

struct Vacating {
    GpuId worker;
    Fence number;             ///< Of what it was told last.
    std::vector<GpuId> gpus;  ///< Where the models lay.

    static constexpr auto fields() { return std::tuple{&Vacating::worker, &Vacating::number, &Vacating::gpus}; }
    friend bool operator==(const Vacating&, const Vacating&) = default;
};

}  // namespace sy::control
