#include "cli/gpus_to_use.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "service/loop/loop.h"

namespace sy::cli {

/// One that cannot be opened has no UUID to show it to tasks by.
Result<UsedGpus> gpus_to_use(const std::string& spec, Bytes margin) {
    auto devices = device::open_devices(spec);
    if (!devices) return tl::unexpected(devices.error());
    UsedGpus used;
    const auto& identities = (*devices)->identities();
    for (std::size_t i = 0; i < identities.size(); ++i) {
        const device::Identity& gpu = identities[i];
        if (gpu.uuid.empty())
            return fail(Fault::failed,
                        fmt::format("{} cannot be used: {}", gpu.name, (*devices)->read(loop::Loop::now())[i].error),
                        "reset it, or hide it from the driver; 'switchyard doctor' shows every GPU");
        used.gpus.push_back({Bytes(gpu.memory.value() - std::min(gpu.memory, margin).value())});
        if (!gpu.simulated) used.visible.push_back(gpu.uuid);
        used.simulated = used.simulated || gpu.simulated;
    }
    used.devices = std::move(*devices);
    return used;
}

void say_with_time(const std::string& text) {
    fmt::print(stderr, "{:%Y-%m-%d %H:%M:%S} {}\n", fmt::localtime(std::time(nullptr)), text);
}

}  // namespace sy::cli
