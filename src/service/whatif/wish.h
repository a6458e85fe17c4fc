// Wish: what somebody wants to have tried, as their request says it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/whatif/limits.h"

namespace sy::whatif {

struct Wish {
    bool live = false;  ///< The live queue rather than a trace.
    std::string trace;  ///< CSV, as docs/traces.md has it.
    std::string name = "trace.csv";
    std::vector<std::string> orders;
    std::string fit;  ///< Empty: that in force.
    std::string place = "consolidate";
    std::string cluster;  ///< A shape such as 4x8, or a document with nodes; empty: this service's own GPUs.
};

/// Refuses what breaks a rule, with the field, the value and the limit. Does not look into the trace.
Result<Wish> read_wish(std::string_view body, const Limits& limits);

}  // namespace sy::whatif
