// What a GPU is and how it is, in one line for people and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/device/reading.h"

namespace sy::cli {

/// "NVIDIA H200, 1.0 of 150.1 GB in use, 34 C, 0 % busy, 77 W, no processes, GPU-…"; what is not known is left away.
std::string gpu_line(const device::Identity& gpu, const device::Reading& reading);

/// What is not known is null.
nlohmann::ordered_json gpu_json(const device::Identity& gpu, const device::Reading& reading);

}  // namespace sy::cli
