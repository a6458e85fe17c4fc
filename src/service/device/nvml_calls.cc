#include "service/device/nvml_calls.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace sy::device::nvml {

namespace {

template <class Function>
bool find(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
}

}  // namespace

Calls::~Calls() {
    if (started_) shutdown();
    if (library_ != nullptr) dlclose(library_);
}

bool Calls::find_needed() {
    return find(library_, "nvmlInit_v2", init) && find(library_, "nvmlShutdown", shutdown) &&
           find(library_, "nvmlErrorString", error_text) &&
           find(library_, "nvmlSystemGetDriverVersion", driver_version) &&
           find(library_, "nvmlDeviceGetCount_v2", count) && find(library_, "nvmlDeviceGetHandleByIndex_v2", handle) &&
           find(library_, "nvmlDeviceGetName", name) && find(library_, "nvmlDeviceGetUUID", uuid) &&
           find(library_, "nvmlDeviceGetMemoryInfo", memory);
}

void Calls::find_others() {
    find(library_, "nvmlDeviceGetUtilizationRates", utilization);
    find(library_, "nvmlDeviceGetTemperature", temperature);
    find(library_, "nvmlDeviceGetPowerUsage", power);
    find(library_, "nvmlDeviceGetClockInfo", clock);
    find(library_, "nvmlDeviceGetTotalEccErrors", ecc_errors);
    for (const char* symbol : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
                               "nvmlDeviceGetComputeRunningProcesses"})
        if (find(library_, symbol, processes)) break;
    find(library_, "nvmlDeviceGetMigMode", mig_mode);
    find(library_, "nvmlDeviceGetMaxMigDeviceCount", mig_most);
    find(library_, "nvmlDeviceGetMigDeviceHandleByIndex", mig_handle);
    find(library_, "nvmlEventSetCreate", make_event_set);
    find(library_, "nvmlEventSetFree", free_event_set);
    find(library_, "nvmlDeviceRegisterEvents", register_events);
    find(library_, "nvmlEventSetWait_v2", wait_for_event);
}

tl::unexpected<Error> Calls::refused(const std::string& what, Status status) const {
    return fail(Fault::failed, fmt::format("NVML cannot {}: {}", what, error_text(status)),
                "does nvidia-smi work? If not, reload or reinstall the driver");
}

Result<std::shared_ptr<const Calls>> load_nvml(const std::string& library) {
    auto calls = std::make_shared<Calls>();
    calls->library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (calls->library_ == nullptr)
        return fail(Fault::failed, fmt::format("{} is not on this machine", library),
                    "install the NVIDIA driver, or use simulated GPUs");
    if (!calls->find_needed())
        return fail(Fault::failed, fmt::format("{} lacks calls we need", library), "update the NVIDIA driver");
    calls->find_others();
    if (const Status status = calls->init(); status != kSuccess) return calls->refused("start", status);
    calls->started_ = true;
    return calls;
}

}  // namespace sy::device::nvml
