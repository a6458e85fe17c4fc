// NvmlCalls: the door to NVIDIA's library: the calls used, declared from its published C interface.
//
// Names, argument types, record layouts and status numbers. A call that is null is not in this driver's library; those
// without which nothing works are checked by `load_nvml`.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace sy::device::nvml {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 3;
inline constexpr Status kNoPermission = 4;
inline constexpr Status kInsufficientSize = 7;
inline constexpr Status kGpuIsLost = 15;
inline constexpr Status kResetRequired = 16;

using Handle = void*;
using EventSet = void*;

struct Memory {
    unsigned long long total, free, used;
};
struct Utilization {
    unsigned gpu, memory;
};
struct Event {
    Handle device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

inline constexpr unsigned kTextSize = 96;
inline constexpr unsigned kGpuSensor = 0;
inline constexpr unsigned kSmClock = 1;
inline constexpr unsigned kUncorrected = 1;
inline constexpr unsigned kVolatile = 0;
inline constexpr unsigned long long kXidEvent = 8;
inline constexpr unsigned long long kNotAvailable = ~0ULL;

struct Calls {
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    const char* (*error_text)(Status) = nullptr;
    Status (*driver_version)(char*, unsigned) = nullptr;
    Status (*count)(unsigned*) = nullptr;
    Status (*handle)(unsigned, Handle*) = nullptr;
    Status (*name)(Handle, char*, unsigned) = nullptr;
    Status (*uuid)(Handle, char*, unsigned) = nullptr;
    Status (*memory)(Handle, Memory*) = nullptr;

    Status (*utilization)(Handle, Utilization*) = nullptr;
    Status (*temperature)(Handle, unsigned sensor, unsigned*) = nullptr;
    Status (*power)(Handle, unsigned* milliwatts) = nullptr;
    Status (*clock)(Handle, unsigned which, unsigned*) = nullptr;
    Status (*ecc_errors)(Handle, unsigned type, unsigned since, unsigned long long*) = nullptr;
    /// Into room for `count` records; nvml_processes.h knows their layout.
    Status (*processes)(Handle, unsigned* count, void* records) = nullptr;

    Status (*mig_mode)(Handle, unsigned* now, unsigned* after_reset) = nullptr;
    Status (*mig_most)(Handle, unsigned*) = nullptr;
    Status (*mig_handle)(Handle, unsigned, Handle*) = nullptr;

    Status (*make_event_set)(EventSet*) = nullptr;
    Status (*free_event_set)(EventSet) = nullptr;
    Status (*register_events)(Handle, unsigned long long types, EventSet) = nullptr;
    Status (*wait_for_event)(EventSet, Event*, unsigned milliseconds) = nullptr;

    Calls() = default;
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    ~Calls();

    tl::unexpected<Error> refused(const std::string& what, Status status) const;

private:
    friend Result<std::shared_ptr<const Calls>> load_nvml(const std::string& library);
    bool find_needed();
    void find_others();

    void* library_ = nullptr;
    bool started_ = false;
};

/// Opens the library and starts it; the last owner shuts it down and closes it.
Result<std::shared_ptr<const Calls>> load_nvml(const std::string& library);

/// Like the call itself, and not supported where the library lacks it.
template <class... Parameters, class... Arguments>
Status ask(Status (*call)(Parameters...), Arguments... arguments) {
    return call == nullptr ? kNotSupported : call(arguments...);
}

}  // namespace sy::device::nvml
