// Faults: what makes a GPU unusable, in the words a reading has for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace sy::device {

inline constexpr const char* kLost = "GPU is lost";
inline constexpr const char* kEccErrors = "ECC errors that cannot be corrected";

inline std::string xid_error(std::uint64_t xid) {
    return "XID " + std::to_string(xid);
}

/// XIDs that a wrong program causes; the GPU is as good as before (NVIDIA's device plugin has the same list).
inline bool is_fault_of_program(std::uint64_t xid) {
    constexpr std::array<std::uint64_t, 6> kOfPrograms{
        13,   // graphics engine exception
        31,   // page fault
        43,   // the program's channel was reset
        45,   // cleanup after an earlier error
        68,   // video processor exception
        109,  // context switch timed out
    };
    return std::find(kOfPrograms.begin(), kOfPrograms.end(), xid) != kOfPrograms.end();
}

}  // namespace sy::device
