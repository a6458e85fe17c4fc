// Balance: how much a GPU's busy time weighs against completion in the choice of `dynamic`: fixed, or by the state of
// the system (P7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/plan/fleet.h"
#include "core/plan/place_index.h"

namespace sy::plan {

class Balance {
public:
    /// In hundredths; nothing lets it adapt. Keeps a reference to the fleet.
    Balance(const Fleet& fleet, std::optional<std::uint32_t> hundredths);

    ScoreWeights weights() const;
    /// To be told of every job the fleet took.
    void job_taken();

private:
    const Fleet& fleet_;
    bool adapts_;
    std::uint32_t hundredths_;
    std::size_t until_next_look_;
};

}  // namespace sy::plan
