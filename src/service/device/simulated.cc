#include "service/device/simulated.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "service/device/faults.h"

namespace sy::device {

namespace {

constexpr double kCalmCelsius = 40;
constexpr pid_t kStranger = 1;

}  // namespace

Simulated::Simulated(input::DeviceFile file) : file_(std::move(file)) {
    for (const input::PretendedGpu& gpu : file_.gpus)
        identities_.push_back({.uuid = fmt::format("SIMULATED-{}", identities_.size()),
                               .name = gpu.kind == "simulated" ? gpu.kind : "simulated " + gpu.kind,
                               .kind = gpu.kind,
                               .memory = gpu.memory,
                               .mig = {},
                               .simulated = true,
                               .bandwidth = gpu.bandwidth});
}

std::vector<Reading> Simulated::read(Instant now) {
    if (!first_read_) first_read_ = now;
    const Duration passed = now - *first_read_;
    std::vector<Reading> readings(identities_.size());
    for (Reading& reading : readings) {
        reading.temperature_c = kCalmCelsius;
        reading.ecc_uncorrected = 0;
    }
    for (const input::DeviceFault& fault : file_.faults) suffer(fault, passed, readings[fault.gpu]);
    for (Reading& reading : readings)
        if (reading.error == kLost) reading = {.memory_used = {}, .xids = std::move(reading.xids), .error = kLost};
    last_read_ = passed;
    return readings;
}

void Simulated::suffer(const input::DeviceFault& fault, Duration passed, Reading& reading) const {
    using What = input::DeviceFault::What;
    const bool happened = last_read_ < fault.from && fault.from <= passed;
    if (fault.what == What::xid && happened) reading.xids.push_back(fault.xid);
    if (passed < fault.from || passed >= fault.until) return;
    switch (fault.what) {
        case What::lost: reading.error = kLost; return;
        case What::ecc:
            *reading.ecc_uncorrected += 1;
            if (reading.error.empty()) reading.error = kEccErrors;
            return;
        case What::xid:
            if (reading.error.empty() && !is_fault_of_program(fault.xid)) reading.error = xid_error(fault.xid);
            return;
        case What::hot: reading.temperature_c = std::max(*reading.temperature_c, fault.celsius); return;
        case What::stranger:
            reading.memory_used = std::min(reading.memory_used + fault.memory, identities_[fault.gpu].memory);
            reading.processes.push_back({kStranger, fault.memory});
            return;
    }
}

}  // namespace sy::device
