// Rehearse: a batch executed in a simulated world, in virtual time, to see how well its plan holds.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"
#include "input/document.h"

namespace sy::cli {

struct RehearseArguments {
    bool wanted = false;
    double noise = 0;
    double failures = 0;
    std::uint64_t seed = 1;
};

Exit rehearse(const RehearseArguments& a, const input::Document& document, double plan_seconds, const std::string& html,
              bool json);

}  // namespace sy::cli
