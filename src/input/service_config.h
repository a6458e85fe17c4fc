// Configuration of the live service (G12): one table, a row a key, and what is in force with where it comes from.
//
// A flag is stronger than SWITCHYARD_<KEY> in the environment, that than the file, that than the default. A key that
// nobody knows is an error. Whether a GPU exists or a file can be read is not looked at here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "input/document.h"

namespace sy::input {

using GpuNumbers = std::vector<std::uint32_t>;

struct ServiceConfig {
    std::string folder;  ///< Empty: one in the user's home.
    std::string listen;  ///< Empty: no TCP.
    std::string tokens_file;
    std::string tls_certificate;
    std::string tls_key;
    std::string tls_client_ca;
    std::string tls_client_role = "submit";
    std::string gpus = "auto";
    std::optional<GpuNumbers> gpu_ids;  ///< Nothing: all.
    std::optional<GpuNumbers> reserved_gpu_ids;
    bool await_hosts = false;
    std::uint64_t forget_hosts_after_seconds = 604'800;  ///< 0: never.
    std::string order = "priority";
    std::string fit = "easy";
    std::string place = "scored";
    std::string preemption = "off";
    std::uint64_t poll_interval_ms = 100;
    std::uint64_t worker_heartbeat_interval_seconds = 10;
    std::uint64_t worker_heartbeat_timeout_seconds = 30;
    std::uint64_t stop_grace_seconds = 5;
    bool allow_commands = true;
    std::uint64_t default_task_timeout_seconds = 3600;
    std::uint64_t max_task_timeout_seconds = 86'400;
    std::uint64_t max_retries = 100;
    std::uint64_t limit_cpu_seconds = 0;
    std::uint64_t limit_memory_mb = 0;
    std::uint64_t limit_open_files = 0;
    std::uint64_t limit_file_mb = 0;
    std::uint64_t limit_processes = 0;
    std::uint64_t limit_core_mb = 0;
    bool run_as_user = false;
    std::uint64_t retry_backoff_seconds = 1;
    std::uint64_t retry_backoff_max_seconds = 300;
    std::uint64_t max_log_bytes = std::uint64_t{64} << 20U;
    std::uint64_t keep_ended_days = 0;  ///< 0: for good.
    std::uint64_t disk_reserve_mb = 64;
    std::string store;  ///< Empty: a file in the folder.
    std::string store_password_file;
    std::string store_prefix = "switchyard";
    std::uint64_t store_lease_seconds = 10;
    std::string advertise;
    std::uint64_t memory_safety_margin_mb = 2000;
    std::uint64_t max_models_per_gpu = 2;
    std::uint64_t model_cache_ttl_seconds = 3600;
    std::string models_file;  ///< Empty: no models, commands only.
    std::uint64_t affinity_weight = 1;
    std::uint64_t balance_weight = 1;
    std::uint64_t hand_ahead_ms = 50;
    std::uint64_t openai_max_waiting = 1'000;
    std::uint64_t openai_max_file_mb = 200;
    std::uint64_t gpu_probation_seconds = 10;
    std::string alert_command;
    std::string alert_webhook;
    std::uint64_t alert_every_seconds = 60;
    std::uint64_t leave_after_seconds = 0;  ///< 0: never.

    friend bool operator==(const ServiceConfig&, const ServiceConfig&) = default;
};

// How a key is read, and into what.
struct WholeRule {
    std::uint64_t ServiceConfig::*member;
    std::uint64_t least;
    std::uint64_t most;
};
struct FlagRule {
    bool ServiceConfig::*member;
};
struct TextRule {
    std::string ServiceConfig::*member;
    const char* rule;
    bool (*fits)(std::string_view);
};
/// A list of numbers, or the word that stands for having none written.
struct NumbersRule {
    std::optional<GpuNumbers> ServiceConfig::*member;
    const char* word;
};

struct ConfigKey {
    std::string_view name;
    std::string_view meaning;
    std::variant<WholeRule, FlagRule, TextRule, NumbersRule> rule;
    bool used = true;  ///< Something in the service already goes by it.
};

const std::vector<ConfigKey>& config_keys();
/// SWITCHYARD_<KEY>.
std::string environment_name(const ConfigKey& key);
/// "--poll-interval-ms".
std::string flag_name(const ConfigKey& key);
/// "a whole number from 1 to 60000".
std::string rule_text(const ConfigKey& key);

using ConfigValue = std::variant<std::uint64_t, bool, std::string, GpuNumbers>;
ConfigValue value_of(const ConfigKey& key, const ServiceConfig& config);
/// As one would write it in the file.
std::string value_text(const ConfigKey& key, const ServiceConfig& config);

/// Where settings may come from.
struct ConfigSources {
    std::optional<Document> file;
    std::map<std::string, std::string> environment;         ///< All of it; what does not concern us is passed over.
    std::map<std::string, std::string, std::less<>> flags;  ///< By key.
};

struct EffectiveConfig {
    ServiceConfig values;
    /// By key: "default", "file switchyard.yaml:3:12", "environment SWITCHYARD_ORDER", "flag --order".
    std::map<std::string, std::string, std::less<>> origins;
};

Result<EffectiveConfig> resolve_config(const ConfigSources& sources);

/// Whether a document looks like a configuration rather than like something else we read.
bool looks_like_config(const Node& root);

}  // namespace sy::input
