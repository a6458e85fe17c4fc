// switchyard serve: the live service.
#include "service/server/serve.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/build_info.h"
#include "cli/commands.h"
#include "cli/gpus_to_use.h"
#include "cli/remote.h"
#include "cli/settings.h"
#include "input/service_values.h"
#include "service/auth/token_file.h"
#include "service/redis/address.h"
#include "service/store/redis_place.h"

namespace sy::cli {

namespace {

/// By GPU, whether it is to be left alone.
Result<std::vector<bool>> spared_gpus(const input::ServiceConfig& config, std::size_t count) {
    std::vector<bool> spared(count, config.gpu_ids.has_value());
    const auto mark = [&](const char* key, const std::optional<input::GpuNumbers>& numbers,
                          bool value) -> Result<void> {
        for (const std::uint32_t gpu : numbers.value_or(input::GpuNumbers{})) {
            if (gpu >= count)
                return fail(Fault::invalid_input,
                            fmt::format("{} names GPU {}, this machine has 0 to {}", key, gpu, count - 1),
                            "'switchyard doctor' shows what there is");
            spared[gpu] = value;
        }
        return {};
    };
    if (auto used = mark("gpu_ids", config.gpu_ids, false); !used) return tl::unexpected(used.error());
    if (auto left = mark("reserved_gpu_ids", config.reserved_gpu_ids, true); !left) return tl::unexpected(left.error());
    if (std::find(spared.begin(), spared.end(), false) == spared.end())
        return fail(Fault::invalid_input, "gpu_ids and reserved_gpu_ids leave no GPU to use", "leave one");
    return spared;
}

std::chrono::seconds seconds_of(std::uint64_t count) {
    return std::chrono::seconds(static_cast<std::int64_t>(count));
}

server::ServeOptions options_of(const input::ServiceConfig& config) {
    server::ServeOptions options;
    options.folder = folder_of(config);
    options.settings.policy.order = config.order;
    options.settings.policy.fit = config.fit;
    options.settings.policy.place = config.place;
    if (config.preemption == "checkpoint") options.settings.preemption = Preemption::checkpoint;
    options.settings.timing.heartbeat_interval = seconds_of(config.worker_heartbeat_interval_seconds);
    options.settings.timing.heartbeat_timeout = seconds_of(config.worker_heartbeat_timeout_seconds);
    options.settings.timing.stop_grace = seconds_of(config.stop_grace_seconds);
    options.settings.backoff = {seconds_of(config.retry_backoff_seconds), seconds_of(config.retry_backoff_max_seconds)};
    options.settings.shelves = {.most = static_cast<std::uint32_t>(config.max_models_per_gpu),
                                .ttl = seconds_of(config.model_cache_ttl_seconds)};
    options.settings.policy.weights = {.affinity = static_cast<std::uint32_t>(config.affinity_weight),
                                       .balance = static_cast<std::uint32_t>(config.balance_weight)};
    options.settings.ahead = std::chrono::milliseconds(config.hand_ahead_ms);
    options.gpu_probation = seconds_of(config.gpu_probation_seconds);
    if (!config.alert_command.empty()) options.alerts.command = {config.alert_command};
    options.alerts.webhook = config.alert_webhook;
    options.alerts.at_most_every = seconds_of(config.alert_every_seconds);
    options.rules = {.default_timeout = seconds_of(config.default_task_timeout_seconds),
                     .max_timeout = seconds_of(config.max_task_timeout_seconds),
                     .max_retries = static_cast<std::uint32_t>(config.max_retries)};
    const auto unless_zero = [](std::uint64_t amount) { return amount == 0 ? std::nullopt : std::optional(amount); };
    options.rules.limits = {.cpu_s = unless_zero(config.limit_cpu_seconds),
                            .memory_mb = unless_zero(config.limit_memory_mb),
                            .open_files = unless_zero(config.limit_open_files),
                            .file_mb = unless_zero(config.limit_file_mb),
                            .processes = unless_zero(config.limit_processes),
                            .core_mb = config.limit_core_mb};
    options.rules.run_as_user = config.run_as_user;
    options.allow_commands = config.allow_commands;
    options.poll_interval = std::chrono::milliseconds(static_cast<std::int64_t>(config.poll_interval_ms));
    options.most_log_bytes = config.max_log_bytes;
    options.keep_ended_days = unless_zero(config.keep_ended_days);
    if (config.forget_hosts_after_seconds > 0)
        options.forget_hosts_after = std::chrono::seconds(config.forget_hosts_after_seconds);
    options.openai_max_waiting = config.openai_max_waiting;
    options.openai_max_file_bytes = config.openai_max_file_mb * 1'000'000;
    options.disk_reserve = Bytes(config.disk_reserve_mb * 1'000'000);
    options.candidate.lease = seconds_of(config.store_lease_seconds);
    if (config.leave_after_seconds > 0) options.leave_after = seconds_of(config.leave_after_seconds);
    return options;
}

/// Tokens are needed where there is a file of them, or one was named.
Result<void> set_tokens(const input::ServiceConfig& config, server::ServeOptions& options) {
    options.tokens_file = tokens_file_of(config);
    options.tokens_needed = !config.tokens_file.empty() || std::filesystem::exists(options.tokens_file);
    if (!options.tokens_needed) return {};
    return auth::read_tokens(options.tokens_file).map([](const auto&) {});
}

void set_tls(const input::ServiceConfig& config, server::ServeOptions& options) {
    if (config.tls_certificate.empty()) return;
    options.tls = tls::ServerFiles{config.tls_certificate, config.tls_key, config.tls_client_ca};
    options.of_certificates = auth::role_named(config.tls_client_role).value_or(auth::Role::read);
}

Result<void> set_listen(const std::string& text, server::ServeOptions& options) {
    const auto listen = input::parse_listen(text);
    if (!listen) return {};
    const bool knows_clients = options.tokens_needed || (options.tls && !options.tls->client_ca.empty());
    if (!listen->is_loopback() && !knows_clients)
        return fail(Fault::usage,
                    fmt::format("listen is {}, which can be reached from outside, and there are no tokens", text),
                    fmt::format("make one with 'switchyard token create --role admin --owner you' ({}), ask for "
                                "certificates (tls_client_ca), or listen on 127.0.0.1",
                                options.tokens_file));
    if (!listen->is_loopback() && !options.tls)
        say_with_time(fmt::format("listen is {} without TLS: tokens and commands can be read on the way", text));
    options.address = listen->address;
    options.port = listen->port;
    return {};
}

/// The password stands in a file of its own: what is set is shown to whoever may see the settings.
Result<void> set_store(const input::ServiceConfig& config, server::ServeOptions& options) {
    if (config.store.empty()) return {};
    auto address = redis::parse_address(config.store);
    if (!address) return tl::unexpected(address.error());
    if (!address->password.empty())
        return fail(Fault::usage, "store has a password in it, which others could read",
                    "write it to a file that is closed to others, and name that as store_password_file");
    if (!config.store_password_file.empty()) {
        auto text = input::read_text(config.store_password_file);
        if (!text) return tl::unexpected(text.error());
        while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
        address->password = *text;
    }
    options.redis = store::RedisPlace{.address = std::move(*address), .prefix = config.store_prefix};
    options.candidate.address = config.advertise;
    if (config.advertise.empty() && !options.address.empty() && options.port != 0)
        options.candidate.address =
            fmt::format("{}://{}:{}", options.tls ? "https" : "http", options.address, options.port);
    return {};
}

/// A machine that shares its store has a name there, by which its GPUs are told from those of the next leader.
std::string name_of_machine(const server::ServeOptions& options) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("{}:{}", host.data(), std::filesystem::absolute(options.folder).lexically_normal().string());
}

Result<void> set_gpus(const input::ServiceConfig& config, server::ServeOptions& options) {
    options.settings.await_nodes = config.await_hosts || config.gpus == "none";
    if (options.redis) options.machine = name_of_machine(options);
    if (config.gpus == "none") return {};
    auto used = gpus_to_use(config.gpus, Bytes(config.memory_safety_margin_mb * 1'000'000));
    if (!used) return tl::unexpected(used.error());
    options.gpus = std::move(used->gpus);
    options.visible = std::move(used->visible);
    options.simulated = used->simulated;
    options.devices = std::move(used->devices);
    auto spared = spared_gpus(config, options.gpus.size());
    if (!spared) return tl::unexpected(spared.error());
    options.spared = std::move(*spared);
    return {};
}

Result<void> set_models(const std::string& path, server::ServeOptions& options) {
    if (path.empty()) return {};
    const auto document = input::read_document(path);
    if (!document) return tl::unexpected(document.error());
    auto models = input::parse_models(*document);
    if (!models) return tl::unexpected(models.error());
    for (const std::string& note : models->notes) say_with_time(note);
    options.models = std::move(*models);
    return {};
}

Exit run_serve(const SettingsArguments& arguments) {
    const auto config = effective_settings(arguments);
    if (!config) return complain(config.error());
    auto options = options_of(config->values);
    options.config = *config;
    options.version = kVersion;
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    if (config->values.run_as_user && ::geteuid() != 0)
        return complain({Fault::usage, "run_as_user is set, and the service does not run as root",
                         "start it as root, or leave run_as_user at false"});
    if (const auto set = set_tokens(config->values, options); !set) return complain(set.error());
    set_tls(config->values, options);
    if (const auto set = set_listen(config->values.listen, options); !set) return complain(set.error());
    if (const auto set = set_store(config->values, options); !set) return complain(set.error());
    if (const auto used = set_gpus(config->values, options); !used) return complain(used.error());
    if (const auto set = set_models(config->values.models_file, options); !set) return complain(set.error());
    options.say = say_with_time;
    options.ready = [&](std::uint16_t port) {
        const std::string tcp =
            port == 0 ? "" : fmt::format(" and {}://{}:{}", options.tls ? "https" : "http", options.address, port);
        say_with_time(fmt::format(
            "{} {}GPUs{}, requests at {}/api.sock{}", std::count(options.spared.begin(), options.spared.end(), false),
            options.simulated ? "simulated " : "", options.gpus.empty() ? " of its own" : "", options.folder, tcp));
    };
    const auto served = server::serve(options);
    return served ? Exit::done : complain(served.error());
}

}  // namespace

Command serve_command() {
    const auto a = std::make_shared<SettingsArguments>();
    return {.name = "serve",
            .summary = "Run the live service on this machine",
            .examples =
                "  switchyard serve\n"
                "  switchyard serve --gpus simulated:8 --folder /tmp/try\n"
                "  switchyard serve --gpus simulated:examples/devices.yaml\n"
                "  switchyard serve --config switchyard.yaml --order fair",
            .options = settings_options(*a),
            .run = [a] { return run_serve(*a); }};
}

}  // namespace sy::cli
