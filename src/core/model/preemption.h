// Preemption: whether a CRITICAL task may interrupt a LOW one that can save its work (P17a).
#pragma once

#include <cstdint>

namespace sy {

enum class Preemption : std::uint8_t {
    off,
    checkpoint,  ///< Those that said how they are told to save.
};

}  // namespace sy
