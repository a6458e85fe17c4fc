// The GPUs of this machine, as `serve` and `worker` take them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/gpu.h"
#include "service/device/devices.h"

namespace sy::cli {

struct UsedGpus {
    std::vector<GpuSpec> gpus;         ///< With what tasks may use of them.
    std::vector<std::string> visible;  ///< For CUDA_VISIBLE_DEVICES: UUIDs; empty where they are simulated.
    bool simulated = false;
    std::shared_ptr<device::Devices> devices;
};

/// `spec`: "auto", "simulated:8" and the like; `margin`: what is left free of each.
Result<UsedGpus> gpus_to_use(const std::string& spec, Bytes margin);

/// A line for the log, with the time.
void say_with_time(const std::string& text);

}  // namespace sy::cli
