// Devices: the GPUs of this machine, real or simulated, and how they are.
//
// One thread at a time. A read of real GPUs takes as long as the driver does, which is a few milliseconds each and,
// when a card hangs, much longer: not for a thread that others wait for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/device/reading.h"

namespace sy::device {

class Devices {
public:
    Devices() = default;
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;
    virtual ~Devices() = default;

    virtual const std::vector<Identity>& identities() const = 0;
    /// One for each identity, in their order. Never fails as a whole: what cannot be read has its `error` set.
    virtual std::vector<Reading> read(Instant now) = 0;
};

/// "auto": those the driver shows. "simulated:8", "simulated:8x80" (GB each), "simulated:FILE" (docs/devices.md).
Result<std::unique_ptr<Devices>> open_devices(const std::string& spec);

}  // namespace sy::device
