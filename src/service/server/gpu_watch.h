// GpuWatch: a thread that asks the driver how the GPUs are, again and again. A card that hangs holds up nobody but
// this thread, and it is left behind when the service ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "service/device/devices.h"

namespace sy::server {

/// A reading, and how much of the memory in use belongs to our own tasks.
struct GpuState {
    device::Reading reading;
    Bytes ours;
    Bytes total;
};

class GpuWatch {
public:
    struct Options {
        std::string folder;  ///< Of the service whose tasks are ours.
        Duration every = 1s;
        std::function<Instant()> clock;
    };
    /// `tell` is called on the thread, once for each round.
    GpuWatch(std::shared_ptr<device::Devices> devices, Options options,
             std::function<void(std::vector<GpuState>)> tell);
    /// After this `tell` is not called any more.
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace sy::server
