// The table of keys. A row here, a member in ServiceConfig, a line in examples/switchyard.yaml, docs/configuration.md
// and docs/schema/service.schema.json; tests compare them.
#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "input/service_config.h"
#include "input/service_values.h"

namespace sy::input {

namespace {

using C = ServiceConfig;

constexpr std::uint64_t kYear = 31'536'000;
constexpr const char* kPath = "a path, or nothing";
constexpr const char* kUrl = "http://host:port/path, or nothing";
constexpr const char* kServer = "http://host:port or https://host:port, or nothing";
constexpr const char* kWord = "a name, as 'switchyard simulate --help' lists them";

bool is_path(std::string_view) {
    return true;
}
bool is_prefix(std::string_view text) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return !text.empty() && text.size() <= 64 && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool is_store(std::string_view text) {
    return text.empty() || text.starts_with("redis://") || text.starts_with("unix://");
}

bool is_url(std::string_view text) {
    return text.empty() || text.starts_with("http://");
}
bool is_server(std::string_view text) {
    return is_url(text) || text.starts_with("https://");
}
bool is_word(std::string_view text) {
    return !text.empty();
}
bool is_role(std::string_view text) {
    return text == "read" || text == "submit" || text == "operate" || text == "admin";
}
bool is_listen(std::string_view text) {
    return text.empty() || parse_listen(text);
}
bool is_preemption(std::string_view text) {
    return text == "off" || text == "checkpoint";
}
bool is_gpus(std::string_view text) {
    return text == "auto" || text == "none" || (text.starts_with("simulated:") && !text.ends_with(":"));
}

std::vector<ConfigKey> keys_of_access() {
    return {
        {"folder", "Everything the service keeps; empty: ~/.local/share/switchyard",
         TextRule{&C::folder, kPath, is_path}},
        {"listen", "Address and port for HTTP over TCP; empty: only the socket in the folder",
         TextRule{&C::listen, "an IPv4 address and a port such as 127.0.0.1:7878, or nothing", is_listen}},
        {"tokens_file", "Who may use it over TCP; empty: tokens.json in the folder, where there is one",
         TextRule{&C::tokens_file, kPath, is_path}},
        {"tls_certificate", "The certificate that TCP shows, PEM; with tls_key TCP speaks TLS alone; empty: no TLS",
         TextRule{&C::tls_certificate, kPath, is_path}},
        {"tls_key", "The key of that certificate, closed to others", TextRule{&C::tls_key, kPath, is_path}},
        {"tls_client_ca", "Clients over TCP must show a certificate signed by one in this file; empty: they need none",
         TextRule{&C::tls_client_ca, kPath, is_path}},
        {"tls_client_role", "What who shows one may do where there are no tokens",
         TextRule{&C::tls_client_role, "read, submit, operate or admin", is_role}},
    };
}

std::vector<ConfigKey> keys_of_placing() {
    return {
        {"gpus",
         "auto: what the driver shows; simulated:8, simulated:8x80 (GB) or simulated:FILE for a machine without; none: "
         "only those of hosts that join",
         TextRule{&C::gpus, "auto, none, simulated:N, simulated:NxGB or simulated:FILE", is_gpus}},
        {"gpu_ids", "Which of them to use; the others are left alone", NumbersRule{&C::gpu_ids, "all"}},
        {"reserved_gpu_ids", "Which of them to leave alone all the same", NumbersRule{&C::reserved_gpu_ids, "none"}},
        {"await_hosts",
         "A task that no GPU here could take waits for a host that can, instead of being refused; always so where gpus "
         "is none",
         FlagRule{&C::await_hosts}},
        {"forget_hosts_after_seconds",
         "A host that is away for so long is forgotten, and its GPUs with it; 0: never. One that was drained is kept",
         WholeRule{&C::forget_hosts_after_seconds, 0, 315'360'000}},
        {"order", "Who is next", TextRule{&C::order, kWord, is_word}},
        {"fit", "What happens when the next one finds no room", TextRule{&C::fit, kWord, is_word}},
        {"place", "Where a task goes; scored: where its model is, by balance otherwise",
         TextRule{&C::place, kWord, is_word}},
        {"preemption", "Whether a CRITICAL task may interrupt a LOW one that can save its work",
         TextRule{&C::preemption, "off or checkpoint", is_preemption}},
    };
}

std::vector<ConfigKey> keys_of_workers() {
    return {
        {"poll_interval_ms", "How often to look even if nothing happened; events drive the scheduler",
         WholeRule{&C::poll_interval_ms, 1, 60'000}},
        {"worker_heartbeat_interval_seconds", "How often a worker says that it lives",
         WholeRule{&C::worker_heartbeat_interval_seconds, 1, 3'600}},
        {"worker_heartbeat_timeout_seconds", "After so much silence a worker is given up",
         WholeRule{&C::worker_heartbeat_timeout_seconds, 2, 86'400}},
        {"stop_grace_seconds", "Between asking a task to end and killing it",
         WholeRule{&C::stop_grace_seconds, 0, 3'600}},
    };
}

std::vector<ConfigKey> keys_of_tasks() {
    return {
        {"allow_commands", "Whether commands may be submitted at all", FlagRule{&C::allow_commands}},
        {"default_task_timeout_seconds", "For one attempt of a task that says nothing",
         WholeRule{&C::default_task_timeout_seconds, 1, kYear}},
        {"max_task_timeout_seconds", "The longest a task may ask for",
         WholeRule{&C::max_task_timeout_seconds, 1, kYear}},
        {"max_retries", "The most a task may ask for", WholeRule{&C::max_retries, 0, 1'000}},
        {"limit_cpu_seconds", "Processor time of a command that says no limit, for each of its processes; 0: no limit",
         WholeRule{&C::limit_cpu_seconds, 0, 31'536'000}},
        {"limit_memory_mb", "Likewise its address space, which CUDA uses far more of than memory; 0: no limit",
         WholeRule{&C::limit_memory_mb, 0, 1'000'000'000}},
        {"limit_open_files", "Likewise its open files; 0: as many as the service",
         WholeRule{&C::limit_open_files, 0, 1'000'000'000}},
        {"limit_file_mb", "Likewise the size of a file it writes; 0: no limit",
         WholeRule{&C::limit_file_mb, 0, 1'000'000'000}},
        {"limit_processes", "Likewise the processes and threads of its user, all of them together; 0: no limit",
         WholeRule{&C::limit_processes, 0, 1'000'000'000}},
        {"limit_core_mb", "Likewise what it leaves of itself when it crashes; 0: nothing",
         WholeRule{&C::limit_core_mb, 0, 1'000'000'000}},
        {"run_as_user", "Commands run as the user who handed them in; the service must run as root",
         FlagRule{&C::run_as_user}},
        {"retry_backoff_seconds", "Pause before the first retry; doubles with each",
         WholeRule{&C::retry_backoff_seconds, 0, 86'400}},
        {"retry_backoff_max_seconds", "The longest such pause", WholeRule{&C::retry_backoff_max_seconds, 0, 86'400}},
        {"max_log_bytes", "Kept of each stream of an attempt; what comes after is counted and dropped",
         WholeRule{&C::max_log_bytes, 0, std::uint64_t{1} << 40U}},
        {"keep_ended_days", "Records and logs of ended tasks; 0: for good", WholeRule{&C::keep_ended_days, 0, 36'500}},
        {"disk_reserve_mb", "Space kept back, so that ends and cancels are still recorded on a full disk; 0: none",
         WholeRule{&C::disk_reserve_mb, 0, 1'000'000}},
        {"store", "Where everything is kept; empty: in the folder. With Redis further servers stand by and take over",
         TextRule{&C::store, "redis://[user@]host[:port][/database], unix:///path/to/socket, or nothing", is_store}},
        {"store_password_file", "The password for Redis, closed to others; empty: none",
         TextRule{&C::store_password_file, kPath, is_path}},
        {"store_prefix", "What all keys in Redis begin with",
         TextRule{&C::store_prefix, "1 to 64 letters, digits, '_', '.' and '-'", is_prefix}},
        {"store_lease_seconds", "After so long without a word of the leading server another one takes over",
         WholeRule{&C::store_lease_seconds, 1, 3'600}},
        {"advertise", "Where clients reach this server while it leads; empty: where it listens",
         TextRule{&C::advertise, kServer, is_server}},
    };
}

std::vector<ConfigKey> keys_of_models_and_alerts() {
    return {
        {"memory_safety_margin_mb", "Left free on each GPU", WholeRule{&C::memory_safety_margin_mb, 0, 1'000'000}},
        {"max_models_per_gpu", "Models held on one GPU at a time", WholeRule{&C::max_models_per_gpu, 1, 64}},
        {"model_cache_ttl_seconds", "How long a model stays loaded that nobody asks for",
         WholeRule{&C::model_cache_ttl_seconds, 0, kYear}},
        {"models_file", "The models that tasks may call, and their runners; empty: none",
         TextRule{&C::models_file, kPath, is_path}},
        {"affinity_weight", "How much a loaded model counts under place: scored",
         WholeRule{&C::affinity_weight, 0, 1'000}},
        {"balance_weight", "How much memory, load, temperature and rest count there",
         WholeRule{&C::balance_weight, 0, 1'000}},
        {"hand_ahead_ms", "So much of short calls is handed to a GPU before it has ended the one it runs; 0: none",
         WholeRule{&C::hand_ahead_ms, 0, 60'000}},
        {"openai_max_waiting", "Calls under /v1 whose clients wait at one time; one more is told to come again",
         WholeRule{&C::openai_max_waiting, 1, 100'000}},
        {"openai_max_file_mb", "The largest file that POST /v1/files takes",
         WholeRule{&C::openai_max_file_mb, 1, 10'000}},
        {"gpu_probation_seconds", "So long without an error before a GPU that failed is used again",
         WholeRule{&C::gpu_probation_seconds, 0, 86'400}},
        {"alert_command", "A program that gets each alert as JSON on stdin; empty: none",
         TextRule{&C::alert_command, kPath, is_path}},
        {"alert_webhook", "Where each alert is sent by POST; empty: nowhere",
         TextRule{&C::alert_webhook, kUrl, is_url}},
        {"alert_every_seconds", "Of each kind of alert at most one in so long; it says how many were held back",
         WholeRule{&C::alert_every_seconds, 0, 86'400}},
        {"leave_after_seconds", "The service ends by itself after so long without work or requests; 0: never",
         WholeRule{&C::leave_after_seconds, 0, kYear}},
    };
}

std::vector<ConfigKey> make_keys() {
    std::vector<ConfigKey> all;
    for (auto part :
         {keys_of_access(), keys_of_placing(), keys_of_workers(), keys_of_tasks(), keys_of_models_and_alerts()})
        std::move(part.begin(), part.end(), std::back_inserter(all));
    return all;
}

bool is_plain(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
    });
}

std::string in_quotes(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') all.push_back('\\');
        all.push_back(c);
    }
    return all + "\"";
}

struct Rule {
    std::string operator()(const WholeRule& r) const {
        return fmt::format("a whole number from {} to {}", r.least, r.most);
    }
    std::string operator()(const FlagRule&) const { return "true or false"; }
    std::string operator()(const TextRule& r) const { return r.rule; }
    std::string operator()(const NumbersRule& r) const {
        return fmt::format("a list of different GPU numbers such as [0, 1], or {}", r.word);
    }
};

struct Value {
    const ServiceConfig& config;
    ConfigValue operator()(const WholeRule& r) const { return config.*r.member; }
    ConfigValue operator()(const FlagRule& r) const { return config.*r.member; }
    ConfigValue operator()(const TextRule& r) const { return config.*r.member; }
    ConfigValue operator()(const NumbersRule& r) const {
        const auto& numbers = config.*r.member;
        return numbers ? ConfigValue(*numbers) : ConfigValue(std::string(r.word));
    }
};

struct Text {
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::string& text) const { return is_plain(text) ? text : in_quotes(text); }
    std::string operator()(const GpuNumbers& numbers) const { return fmt::format("[{}]", fmt::join(numbers, ", ")); }
};

}  // namespace

const std::vector<ConfigKey>& config_keys() {
    static const std::vector<ConfigKey> kKeys = make_keys();
    return kKeys;
}

std::string environment_name(const ConfigKey& key) {
    std::string name = "SWITCHYARD_";
    for (const char c : key.name) name.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    return name;
}

std::string flag_name(const ConfigKey& key) {
    std::string name = fmt::format("--{}", key.name);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string rule_text(const ConfigKey& key) {
    return std::visit(Rule{}, key.rule);
}

ConfigValue value_of(const ConfigKey& key, const ServiceConfig& config) {
    return std::visit(Value{config}, key.rule);
}

std::string value_text(const ConfigKey& key, const ServiceConfig& config) {
    return std::visit(Text{}, value_of(key, config));
}

}  // namespace sy::input
