// Random batches of AI workflows: a few dozen templates over twelve models of 1 to 70 GB, log-normal times.
#pragma once

#include <cstdint>

#include "core/model/batch.h"

namespace sy::bench {

struct BatchShape {
    std::uint32_t workflows = 500;
    std::uint32_t gpus = 16;
    bool gangs = false;       ///< The two largest models need two and four GPUs.
    bool short_jobs = false;  ///< A tenth of the usual times.
    std::uint64_t seed = 1;
};

Batch random_batch(const BatchShape& shape);

}  // namespace sy::bench
