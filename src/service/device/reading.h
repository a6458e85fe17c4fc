// Reading: what is known of one GPU. An Identity stays as long as the service runs, a Reading is of one moment.
//
// What the driver does not tell is absent, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/units.h"

namespace sy::device {

struct Identity {
    std::string uuid;  ///< Empty: a GPU that could not be opened; its readings say why.
    std::string name;
    std::string kind;  ///< Short: "h100", "rtx-4090".
    Bytes memory;
    std::vector<std::string> mig;  ///< UUIDs of the slices it is cut into.
    bool simulated = false;
    std::optional<Bytes> bandwidth;  ///< A second, into its memory; said of simulated ones only.
};

struct ProcessUse {
    pid_t pid = 0;  ///< As the driver sees it, which in a container is not as we do.
    std::optional<Bytes> memory;
};

struct Reading {
    Bytes memory_used;  ///< By everybody, the driver included.
    std::optional<double> utilization_percent;
    std::optional<double> temperature_c;
    std::optional<double> power_w;
    std::optional<double> sm_clock_mhz;
    std::vector<ProcessUse> processes;             ///< That compute; those that draw are not listed.
    std::optional<std::uint64_t> ecc_uncorrected;  ///< Since the driver was loaded.
    std::vector<std::uint64_t> xids;  ///< Critical events since the last read, programs' errors among them.
    std::string error;                ///< Why this GPU cannot be used: "GPU is lost", "XID 79". Empty: it can.
};

}  // namespace sy::device
