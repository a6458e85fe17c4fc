// Verify: is this a valid plan of this batch? Says the first thing that is not.
//
// It shares no code with the strategies and no table with them: durations and switch times are worked out anew from the
// batch, by the rules as users read them (docs/planning.md). Slow and plain on purpose.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::plan {

/// An error that names the rule, the job and the figures.
Result<void> verify(const Batch& batch, const Plan& plan);

}  // namespace sy::plan
