// Fault file: which nodes of a simulated cluster fail, and when; docs/schema/faults.schema.json says what it may hold.
#pragma once

#include "base/result.h"
#include "core/model/outage.h"
#include "input/document.h"

namespace sy::input {

/// Nodes count from 0; `nodes` is how many there are.
Result<OutagePlan> parse_faults(const Document& document, std::size_t nodes);

}  // namespace sy::input
