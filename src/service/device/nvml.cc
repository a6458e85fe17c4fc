// The calls used are declared here from NVML's published C interface: names, argument types and layout of the memory
// record. All of them return 0 for success.
#include "service/device/nvml.h"

#include <array>
#include <utility>

#include <dlfcn.h>
#include <fmt/core.h>

namespace sy::device {

namespace {

using Status = int;
using Device = void*;
struct MemoryRecord {
    unsigned long long total, free, used;
};

constexpr std::size_t kLongestText = 96;

}  // namespace

struct Nvml::Calls {
    void* library = nullptr;
    bool started = false;
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    const char* (*error_text)(Status) = nullptr;
    Status (*driver_version)(char*, unsigned) = nullptr;
    Status (*count)(unsigned*) = nullptr;
    Status (*handle)(unsigned, Device*) = nullptr;
    Status (*name)(Device, char*, unsigned) = nullptr;
    Status (*memory)(Device, MemoryRecord*) = nullptr;

    Calls() = default;
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    ~Calls() {
        if (started) shutdown();
        if (library != nullptr) dlclose(library);
    }

    template <class Function>
    bool find(const char* symbol, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, symbol));
        return function != nullptr;
    }

    bool find_all() {
        return find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) && find("nvmlErrorString", error_text) &&
               find("nvmlSystemGetDriverVersion", driver_version) && find("nvmlDeviceGetCount_v2", count) &&
               find("nvmlDeviceGetHandleByIndex_v2", handle) && find("nvmlDeviceGetName", name) &&
               find("nvmlDeviceGetMemoryInfo", memory);
    }

    tl::unexpected<Error> refused(const std::string& what, Status status) const {
        return fail(Fault::failed, fmt::format("NVML cannot {}: {}", what, error_text(status)),
                    "does nvidia-smi work? If not, reload or reinstall the driver");
    }
};

Nvml::Nvml(std::shared_ptr<const Calls> calls) : calls_(std::move(calls)) {}

Result<Nvml> Nvml::open(const std::string& library) {
    auto calls = std::make_shared<Calls>();
    calls->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (calls->library == nullptr)
        return fail(Fault::failed, fmt::format("{} is not on this machine", library),
                    "install the NVIDIA driver, or use simulated GPUs");
    if (!calls->find_all())
        return fail(Fault::failed, fmt::format("{} lacks calls we need", library), "update the NVIDIA driver");
    if (const Status status = calls->init(); status != 0) return calls->refused("start", status);
    calls->started = true;
    return Nvml(std::move(calls));
}

Result<std::string> Nvml::driver_version() const {
    std::array<char, kLongestText> text{};
    if (const Status status = calls_->driver_version(text.data(), kLongestText); status != 0)
        return calls_->refused("tell the driver's version", status);
    return std::string(text.data());
}

Result<std::vector<GpuReading>> Nvml::read_gpus() const {
    unsigned count = 0;
    if (const Status status = calls_->count(&count); status != 0) return calls_->refused("count GPUs", status);
    std::vector<GpuReading> gpus;
    for (unsigned i = 0; i < count; ++i) {
        Device device = nullptr;
        std::array<char, kLongestText> name{};
        MemoryRecord memory{};
        if (const Status status = calls_->handle(i, &device); status != 0)
            return calls_->refused(fmt::format("open GPU {}", i), status);
        if (const Status status = calls_->name(device, name.data(), kLongestText); status != 0)
            return calls_->refused(fmt::format("name GPU {}", i), status);
        if (const Status status = calls_->memory(device, &memory); status != 0)
            return calls_->refused(fmt::format("read the memory of GPU {}", i), status);
        gpus.push_back({name.data(), Bytes(memory.total), Bytes(memory.used)});
    }
    return gpus;
}

}  // namespace sy::device
