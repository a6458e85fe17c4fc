// Plan files: PLAN.json and PLAN.csv, as docs/planning.md describes them.
#pragma once

#include <string>

#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::output {

std::string plan_json(const Batch& batch, const Plan& plan);
std::string plan_csv(const Batch& batch, const Plan& plan);

/// Largest less smallest utilisation of a GPU.
double imbalance(const Batch& batch, const Plan& plan);

}  // namespace sy::output
