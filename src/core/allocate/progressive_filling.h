// Progressive filling: all parties grow at once, each by its weight in its tree of groups, until something stops them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/allocate/situation.h"

namespace sy::allocate {

struct Filled {
    double part = 0;                 ///< Of what the party wants.
    std::optional<Resource> scarce;  ///< What stopped it, if it has less than all.
};

/// In the order of the parties. Together they use no more than the capacity, up to rounding.
std::vector<Filled> fill_progressively(const Situation& situation);

/// By party: the largest part of any resource that all it wants would take.
std::vector<double> dominant_shares(const Situation& situation);

}  // namespace sy::allocate
