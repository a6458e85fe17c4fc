#include "service/device/devices.h"

#include <string_view>

#include <fmt/format.h>

#include "input/device_file.h"
#include "input/reading.h"
#include "service/device/nvml.h"
#include "service/device/simulated.h"

namespace sy::device {

namespace {

constexpr std::string_view kSimulated = "simulated:";
constexpr std::uint64_t kMostGb = 1'000'000;

bool is_path(std::string_view text) {
    return text.find('/') != std::string_view::npos || text.ends_with(".yaml") || text.ends_with(".yml") ||
           text.ends_with(".json");
}

Result<input::DeviceFile> read_file(const std::string& path) {
    const auto document = input::read_document(path);
    if (!document) return tl::unexpected(document.error());
    return input::parse_devices(*document);
}

/// "8", or "8x80" for 80 GB each.
Result<input::DeviceFile> of_one_sort(std::string_view text) {
    const std::size_t x = text.find('x');
    const auto count = input::parse_number<std::uint64_t>(text.substr(0, x));
    const auto gb = x == std::string_view::npos ? std::optional<std::uint64_t>(80)
                                                : input::parse_number<std::uint64_t>(text.substr(x + 1));
    if (!count || !gb || *count == 0 || *count > input::kMostPretendedGpus || *gb == 0 || *gb > kMostGb)
        return fail(Fault::usage,
                    fmt::format("the GPUs are simulated:{}, it must be 1 to {} of them, of 1 to {} GB", text,
                                input::kMostPretendedGpus, kMostGb),
                    "write simulated:8 for eight, simulated:8x80 for eight of 80 GB, or simulated:FILE.yaml");
    input::DeviceFile file;
    file.gpus.assign(*count, input::PretendedGpu{.memory = gigabytes(*gb)});
    return file;
}

Result<std::unique_ptr<Devices>> open_simulated(std::string_view text) {
    auto file = is_path(text) ? read_file(std::string(text)) : of_one_sort(text);
    if (!file) return tl::unexpected(file.error());
    return std::make_unique<Simulated>(std::move(*file));
}

}  // namespace

Result<std::unique_ptr<Devices>> open_devices(const std::string& spec) {
    if (spec.starts_with(kSimulated)) return open_simulated(std::string_view(spec).substr(kSimulated.size()));
    if (spec != "auto")
        return fail(Fault::usage, fmt::format("the GPUs are '{}', it must be auto or simulated:N", spec),
                    "write auto, or simulated:8 for a machine without GPUs");
    auto nvml = Nvml::open();
    if (!nvml)
        return fail(Fault::failed, nvml.error().message,
                    "on a machine without GPUs, try 'switchyard serve --gpus simulated:8'");
    if ((*nvml)->identities().empty()) return fail(Fault::failed, "the driver shows no GPU", "try 'switchyard doctor'");
    return std::move(*nvml);
}

}  // namespace sy::device
