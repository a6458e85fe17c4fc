// Nvml: NVIDIA's management library, opened at run time.
//
// No header of it is needed to build and no driver to start: where the library is missing, `open` says so. Only reads;
// nothing here changes a card's settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace sy::device {

struct GpuReading {
    std::string name;
    Bytes memory_total;
    Bytes memory_used;
};

class Nvml {
public:
    /// `library` is a file name for the loader to find.
    static Result<Nvml> open(const std::string& library = "libnvidia-ml.so.1");

    Result<std::string> driver_version() const;
    /// Every GPU the driver shows, in its order.
    Result<std::vector<GpuReading>> read_gpus() const;

private:
    struct Calls;
    explicit Nvml(std::shared_ptr<const Calls> calls);

    std::shared_ptr<const Calls> calls_;  ///< The last owner shuts the library down and closes it.
};

}  // namespace sy::device
