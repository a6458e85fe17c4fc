// Batch as JSON: what `switchyard plan` reads. Only what the batches here use: no matrices, nothing held at time 0.
#pragma once

#include <string>

#include "core/model/batch.h"

namespace sy::bench {

std::string batch_json(const Batch& batch);

}  // namespace sy::bench
