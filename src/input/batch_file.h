// Batch file: YAML or JSON to a Batch that can be planned. docs/schema/batch.schema.json says what it may hold.
#pragma once

#include "base/result.h"
#include "core/model/batch.h"
#include "input/document.h"

namespace sy::input {

/// Limits of one batch.
inline constexpr std::uint64_t kMostBatchGpus = 65'536;
inline constexpr std::uint64_t kMostBatchJobs = 50'000'000;

/// Refuses what breaks a rule (Fault::invalid_input) and what no plan could ever run (Fault::infeasible).
Result<Batch> read_batch(const Document& document);

}  // namespace sy::input
