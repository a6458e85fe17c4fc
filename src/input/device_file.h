// Device file: GPUs that are pretended, and what befalls them; docs/schema/devices.schema.json says what it may hold.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "input/document.h"

namespace sy::input {

inline constexpr std::uint64_t kMostPretendedGpus = 1024;
inline constexpr std::size_t kMostDeviceFaults = 10'000;

struct PretendedGpu {
    std::string kind = "simulated";
    Bytes memory;
    std::optional<Bytes> bandwidth;  ///< A second, from the host's memory into the GPU's.
};

struct DeviceFault {
    enum class What { lost, ecc, xid, hot, stranger };

    std::uint32_t gpu = 0;
    Duration from{};  ///< After the start.
    Duration until = Duration::max();
    What what = What::lost;
    std::uint64_t xid = 0;  ///< Of an xid.
    double celsius = 0;     ///< Of one that is hot.
    Bytes memory;           ///< Of a stranger.
};

struct DeviceFile {
    std::vector<PretendedGpu> gpus;
    std::vector<DeviceFault> faults;
};

Result<DeviceFile> parse_devices(const Document& document);

}  // namespace sy::input
