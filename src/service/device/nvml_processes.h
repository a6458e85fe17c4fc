// Processes on a GPU, as NVML lists them.
#pragma once

#include <vector>

#include "service/device/nvml_calls.h"
#include "service/device/reading.h"

namespace sy::device::nvml {

inline constexpr unsigned kMostProcesses = 4096;  ///< Of one GPU; where there are more, none is listed.

struct ProcessList {
    Status status = kSuccess;
    std::vector<ProcessUse> processes;
};

ProcessList list_processes(const Calls& calls, Handle gpu);

}  // namespace sy::device::nvml
