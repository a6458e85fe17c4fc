// Serve: the live service on one machine, put together: store, brain, workers, HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/control/core.h"
#include "input/model_file.h"
#include "input/service_config.h"
#include "service/auth/role.h"
#include "service/device/devices.h"
#include "service/server/alerts.h"
#include "service/server/task_rules.h"
#include "service/store/leadership.h"
#include "service/store/redis_place.h"
#include "service/tls/terms.h"

namespace sy::server {

struct ServeOptions {
    std::string program;                  ///< This binary, to start workers.
    std::string folder;                   ///< Everything the service keeps. Its HTTP socket is there as well: api.sock.
    std::string address;                  ///< For TCP. Empty: none, only the socket, which is its owner's alone.
    std::uint16_t port = 0;               ///< 0: any.
    std::optional<tls::ServerFiles> tls;  ///< Where TCP is to speak TLS.
    auth::Role of_certificates = auth::Role::submit;  ///< Without tokens: of who shows a client's certificate.
    std::string tokens_file;
    bool tokens_needed = false;                ///< Over TCP, even where that file is not there.
    std::vector<GpuSpec> gpus;                 ///< Of this machine; may be empty.
    std::string machine;                       ///< Its name, where machines share the store; empty otherwise.
    std::vector<std::string> visible;          ///< By GPU, for CUDA_VISIBLE_DEVICES: UUIDs.
    std::shared_ptr<device::Devices> devices;  ///< To look at the same GPUs; may be null.
    std::vector<bool> spared;                  ///< By GPU: left alone, no worker is started. May be empty.
    bool simulated = false;
    input::ModelFile models;
    std::string version;  ///< Of this binary.
    control::Settings settings;
    AlertOptions alerts;
    Duration gpu_probation = 10s;  ///< Without an error, before a GPU that failed is used again.
    TaskRules rules;
    input::EffectiveConfig config;  ///< What all of this was made from, to show.
    bool allow_commands = true;
    Duration poll_interval = 100ms;  ///< A look even if nothing happened: events do the work.
    std::uint64_t most_log_bytes = std::uint64_t{64} << 20U;
    std::optional<std::uint64_t> keep_ended_days;  ///< Nothing: for good.
    std::optional<Duration> forget_hosts_after;    ///< Of those that are away. Nothing: never.
    Bytes disk_reserve;
    std::optional<store::RedisPlace> redis;  ///< Where everything is kept; nothing: in the folder.
    store::Candidate candidate;              ///< As which this server stands there.
    std::size_t openai_max_waiting = 1'000;
    std::uint64_t openai_max_file_bytes = 200'000'000;
    std::optional<Duration> leave_after;            ///< Without work or requests.
    std::function<void(std::uint16_t port)> ready;  ///< Called once requests are taken; 0 without TCP.
    std::function<void(const std::string&)> say;    ///< A line for the log.
};

/// Until SIGTERM or SIGINT: the first lets what runs end and takes nothing new, the second ends it now.
Result<void> serve(const ServeOptions& options);

}  // namespace sy::server
