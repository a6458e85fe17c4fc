// Outpost: what runs on a host for a service elsewhere. It keeps a worker process for each GPU, as the service itself
// does on its own machine, and has one line to the service, on which the words of all of them go.
//
// It decides nothing. While there is no line, its workers find nobody listening and go on by themselves for as long as
// their leases hold; when it dies, they do the same, and the next one finds them at work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/gpu.h"
#include "service/device/devices.h"
#include "service/tls/terms.h"

namespace sy::outpost {

struct Options {
    std::string program;               ///< This binary, to start workers.
    std::vector<std::string> servers;  ///< Where the service is; several where it may move.
    std::string bearer;                ///< The token to show; empty: none.
    tls::ClientFiles files;
    std::string name;    ///< The host's.
    std::string folder;  ///< Of its own.
    std::vector<GpuSpec> gpus;
    std::vector<std::string> visible;  ///< By GPU, for CUDA_VISIBLE_DEVICES: UUIDs. Empty: they are simulated.
    std::shared_ptr<device::Devices> devices;
    std::optional<Duration> leave_after;  ///< Without work.
    std::string version;
    std::function<void(const std::string&)> say;
};

/// Until SIGTERM or SIGINT: the first lets what runs end and takes nothing new, the second ends it now. An error where
/// the service does not want this host, as long as it never did.
Result<void> run(const Options& options);

}  // namespace sy::outpost
