// LiveBatch: a batch as somebody wrote it, made whole with what this service knows: its GPUs and what they hold, the
// models of its catalogue, and how long loading them really takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/model/batch.h"
#include "input/batch_content.h"
#include "input/document.h"

namespace sy::runs {

struct LiveGpu {
    std::string kind;
    Bytes memory;
    std::string holds;  ///< A model; empty: none that counts.
};

struct LiveModel {
    std::string name;
    Bytes memory;
    std::optional<double> load_seconds;  ///< Measured.
};

/// What a service is at this moment.
struct LiveFacts {
    std::vector<LiveGpu> gpus;
    std::vector<LiveModel> models;
};

struct LiveBatch {
    Batch batch;
    input::Content content;
};

/// The document's own cluster says how switching is estimated where nothing was measured; the rest of it is put aside.
/// Refuses a model without a runner here.
Result<LiveBatch> make_live(input::Document document, const LiveFacts& facts);

}  // namespace sy::runs
