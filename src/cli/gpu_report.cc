#include "cli/gpu_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::cli {

namespace {

double gb(Bytes bytes) {
    return static_cast<double>(bytes.value()) / 1e9;
}

std::string processes_of(const device::Reading& reading) {
    if (reading.processes.empty()) return "no processes";
    std::vector<std::string> each;
    for (const device::ProcessUse& use : reading.processes)
        each.push_back(use.memory ? fmt::format("{} ({:.1f} GB)", use.pid, gb(*use.memory))
                                  : fmt::format("{}", use.pid));
    return fmt::format("{} {}", each.size() == 1 ? "process" : "processes", fmt::join(each, " "));
}

template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace

std::string gpu_line(const device::Identity& gpu, const device::Reading& reading) {
    if (gpu.uuid.empty()) return fmt::format("{}: {}", gpu.name, reading.error);
    std::string line = gpu.name;
    if (!reading.error.empty()) line += fmt::format(": {}", reading.error);
    line += fmt::format(", {:.1f} of {:.1f} GB in use", gb(reading.memory_used), gb(gpu.memory));
    if (reading.temperature_c) line += fmt::format(", {:.0f} C", *reading.temperature_c);
    if (reading.utilization_percent) line += fmt::format(", {:.0f} % busy", *reading.utilization_percent);
    if (reading.power_w) line += fmt::format(", {:.0f} W", *reading.power_w);
    line += fmt::format(", {}", processes_of(reading));
    if (!gpu.mig.empty()) line += fmt::format(", {} MIG slices", gpu.mig.size());
    return line + ", " + gpu.uuid;
}

nlohmann::ordered_json gpu_json(const device::Identity& gpu, const device::Reading& reading) {
    auto processes = nlohmann::ordered_json::array();
    for (const device::ProcessUse& use : reading.processes) {
        nlohmann::ordered_json memory;
        if (use.memory) memory = use.memory->value();
        processes.push_back({{"pid", use.pid}, {"memory_bytes", memory}});
    }
    return {{"uuid", gpu.uuid},
            {"name", gpu.name},
            {"kind", gpu.kind},
            {"simulated", gpu.simulated},
            {"memory_bytes", gpu.memory.value()},
            {"memory_used_bytes", reading.memory_used.value()},
            {"utilization_percent", or_null(reading.utilization_percent)},
            {"temperature_c", or_null(reading.temperature_c)},
            {"power_w", or_null(reading.power_w)},
            {"sm_clock_mhz", or_null(reading.sm_clock_mhz)},
            {"ecc_uncorrected", or_null(reading.ecc_uncorrected)},
            {"processes", std::move(processes)},
            {"mig", gpu.mig},
            {"error", reading.error}};
}

}  // namespace sy::cli
