// Plan summary: what a person wants to know of a plan, on a terminal.
#pragma once

#include <string>

#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::cli {

std::string plan_summary(const Batch& batch, const Plan& plan);

}  // namespace sy::cli
