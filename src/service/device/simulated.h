// Simulated: GPUs for machines without any. They are what a file says, and suffer what it says, on its schedule.
//
// A reading is a function of the seconds since the first one. Nothing is measured: what a task would use is not seen,
// and utilisation, power and clocks are absent.
#pragma once

#include <optional>
#include <vector>

#include "input/device_file.h"
#include "service/device/devices.h"

namespace sy::device {

class Simulated final : public Devices {
public:
    explicit Simulated(input::DeviceFile file);

    const std::vector<Identity>& identities() const override { return identities_; }
    std::vector<Reading> read(Instant now) override;

private:
    void suffer(const input::DeviceFault& fault, Duration passed, Reading& reading) const;

    input::DeviceFile file_;
    std::vector<Identity> identities_;
    std::optional<Instant> first_read_;
    Duration last_read_{-1};  ///< Since the first.
};

}  // namespace sy::device
