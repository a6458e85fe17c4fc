// Situation: a batch in the middle of being run. What dispatch needs to plan the rest from the present.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::plan {

/// A GPU as it stands.
struct SeatNow {
    bool away = false;  ///< Nothing can run there.
    std::optional<ModelId> model;
    GpuSpan group;  ///< As part of which it holds the model.
};

/// What GPUs are busy with, and until when they are expected to be.
struct Underway {
    static constexpr JobIndex kLoad = std::numeric_limits<JobIndex>::max();  ///< No job: the model is being loaded.

    JobIndex job = kLoad;
    GpuSpan gpus;
    Instant end;
};

struct Situation {
    Instant now = kStart;
    std::vector<SeatNow> gpus;       ///< Every GPU of the batch.
    std::vector<JobIndex> rest;      ///< To be planned. What they need is done, under way, or in here as well.
    std::vector<Underway> underway;  ///< Of one GPU in the order in which they will end.
    std::vector<double> pace;        ///< By model: real times over those of the batch.
};

}  // namespace sy::plan
