// GPU lock: a GPU has one worker at a time. Its file says which process that is.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"

namespace sy::worker {

/// The open file that holds the lock until it is closed. An error where another worker has the GPU.
Result<int> lock_gpu(const std::string& folder, GpuId gpu);

}  // namespace sy::worker
