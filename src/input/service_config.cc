#include "input/service_config.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "core/model/timing.h"
#include "core/schedule/policy.h"
#include "input/fields.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr std::size_t kMostGpusNamed = 65'536;
/// Ours, but no settings of the service.
constexpr std::array<std::string_view, 9> kOtherVariables{
    "SWITCHYARD_CONFIG",  "SWITCHYARD_SERVER",           "SWITCHYARD_TOKEN_FILE",
    "SWITCHYARD_CA_FILE", "SWITCHYARD_CERTIFICATE_FILE", "SWITCHYARD_KEY_FILE",
    "SWITCHYARD_TASK",    "SWITCHYARD_ATTEMPT",          "SWITCHYARD_MARK"};

/// Reads one value into its member; false where it breaks the rule.
struct Take {
    const Node& node;
    ServiceConfig& config;

    bool operator()(const WholeRule& r) const {
        const auto number = node.kind == Kind::scalar ? parse_number<std::uint64_t>(node.text) : std::nullopt;
        if (!number || *number < r.least || *number > r.most) return false;
        config.*r.member = *number;
        return true;
    }
    bool operator()(const FlagRule& r) const {
        config.*r.member = node.text == "true";
        return node.kind == Kind::scalar && (node.text == "true" || node.text == "false");
    }
    bool operator()(const TextRule& r) const {
        const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
        if (node.kind == Kind::list || node.kind == Kind::map) return false;
        if (!r.fits(node.text) || std::any_of(node.text.begin(), node.text.end(), is_control)) return false;
        config.*r.member = node.text;
        return true;
    }
    bool operator()(const NumbersRule& r) const {
        config.*r.member = std::nullopt;
        if (node.kind == Kind::scalar) return node.text == r.word;
        if (node.kind != Kind::list || node.items.size() > kMostGpusNamed) return false;
        GpuNumbers numbers;
        for (const Node& item : node.items) {
            const auto number = item.kind == Kind::scalar ? parse_number<std::uint32_t>(item.text) : std::nullopt;
            if (!number || *number >= kMostGpusNamed) return false;
            if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) return false;
            numbers.push_back(*number);
        }
        config.*r.member = std::move(numbers);
        return true;
    }
};

/// A value from the environment or a flag: lists are written 0,2,3.
Node node_of(const ConfigKey& key, const std::string& text) {
    const auto scalar = [](std::string_view part) {
        Node node;
        node.kind = Kind::scalar;
        node.text = part;
        return node;
    };
    const bool is_list = std::holds_alternative<NumbersRule>(key.rule) && !text.empty() &&
                         std::isdigit(static_cast<unsigned char>(text.front())) != 0;
    if (!is_list) return scalar(text);
    Node list;
    list.kind = Kind::list;
    for (std::string_view rest = text;;) {
        const std::string_view part = rest.substr(0, rest.find(','));
        list.items.push_back(scalar(part));
        if (part.size() == rest.size()) return list;
        rest.remove_prefix(part.size() + 1);
    }
}

const ConfigKey* find_key(std::string_view name) {
    for (const ConfigKey& key : config_keys())
        if (key.name == name) return &key;
    return nullptr;
}

class Resolver {
public:
    Resolver() {
        for (const ConfigKey& key : config_keys()) effective_.origins.emplace(key.name, "default");
    }

    void read_file(const Document& file) {
        if (file.root.kind == Kind::nothing) return;
        std::vector<std::string_view> known;
        for (const ConfigKey& key : config_keys()) known.push_back(key.name);
        const Map map(file.root, "the configuration", known);
        for (std::size_t i = 0; i < file.root.keys.size(); ++i) {
            const ConfigKey& key = *find_key(file.root.keys[i].text);
            const Node& value = file.root.items[i];
            const std::string where = fmt::format("{}:{}:{}", file.name, value.mark.line, value.mark.column);
            take(key, value, fmt::format("{}: {}", where, key.name), "file " + where);
        }
    }

    void read_environment(const std::map<std::string, std::string>& environment) {
        for (const ConfigKey& key : config_keys()) {
            const std::string name = environment_name(key);
            const auto said = environment.find(name);
            if (said == environment.end() || said->second.empty()) continue;
            take(key, node_of(key, said->second), name, "environment " + name);
        }
    }

    void read_flags(const std::map<std::string, std::string, std::less<>>& flags) {
        for (const ConfigKey& key : config_keys())
            if (const auto said = flags.find(key.name); said != flags.end())
                take(key, node_of(key, said->second), flag_name(key), "flag " + flag_name(key));
    }

    EffectiveConfig finish() {
        const ServiceConfig& c = effective_.values;
        constexpr std::uint64_t kMargin = Timing{}.kill_margin / 1s;
        at_least("worker_heartbeat_timeout_seconds", c.worker_heartbeat_timeout_seconds,
                 2 * c.worker_heartbeat_interval_seconds, "twice worker_heartbeat_interval_seconds");
        at_least("worker_heartbeat_timeout_seconds", c.worker_heartbeat_timeout_seconds,
                 c.worker_heartbeat_interval_seconds + c.stop_grace_seconds + kMargin + 1,
                 "worker_heartbeat_interval_seconds and stop_grace_seconds and 4 seconds together: a worker must have "
                 "ended its task before it is given up");
        at_least("max_task_timeout_seconds", c.max_task_timeout_seconds, c.default_task_timeout_seconds,
                 "default_task_timeout_seconds");
        at_least("retry_backoff_max_seconds", c.retry_backoff_max_seconds, c.retry_backoff_seconds,
                 "retry_backoff_seconds");
        if (c.tls_certificate.empty() != c.tls_key.empty())
            throw Error{Fault::invalid_input, "tls_certificate and tls_key go together", "name both, or none"};
        if (!c.tls_client_ca.empty() && c.tls_certificate.empty())
            throw Error{Fault::invalid_input, "tls_client_ca means nothing without tls_certificate and tls_key",
                        "name those too"};
        schedule::Policy policy;
        policy.order = c.order;
        policy.fit = c.fit;
        policy.place = c.place;
        if (const auto fine = schedule::make_live_scheduler(policy); !fine) throw fine.error();
        return std::move(effective_);
    }

private:
    void take(const ConfigKey& key, const Node& value, const std::string& what, const std::string& origin) {
        if (!std::visit(Take{value, effective_.values}, key.rule))
            throw Error{Fault::invalid_input,
                        fmt::format("{} is {}, it must be {}", what, shown(value), rule_text(key)),
                        "write " + rule_text(key)};
        effective_.origins.insert_or_assign(std::string(key.name), origin);
    }

    void at_least(const std::string& key, std::uint64_t value, std::uint64_t least, std::string_view what) {
        if (value >= least) return;
        throw Error{
            Fault::invalid_input,
            fmt::format("{} is {} ({}), it must be at least {}: {}", key, value, effective_.origins[key], least, what),
            "raise the one or lower the other"};
    }

    EffectiveConfig effective_;
};

/// A mistyped variable would be passed over in silence. Variables that resemble no key are somebody else's: machines
/// set SWITCHYARD_SERVICE_HOST and its like by themselves.
void refuse_mistyped(const std::map<std::string, std::string>& environment) {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_keys()) names.push_back(environment_name(key));
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const auto& [name, value] : environment) {
        if (!name.starts_with("SWITCHYARD_") || std::find(known.begin(), known.end(), name) != known.end()) continue;
        if (std::find(kOtherVariables.begin(), kOtherVariables.end(), name) != kOtherVariables.end()) continue;
        constexpr std::size_t kPrefix = std::string_view("SWITCHYARD_").size();
        std::vector<std::string_view> endings;
        for (const std::string_view word : known) endings.push_back(word.substr(kPrefix));
        if (const auto meant = nearest_word(std::string_view(name).substr(kPrefix), endings))
            throw Error{Fault::invalid_input, fmt::format("{} in the environment is no setting", name),
                        fmt::format("did you mean SWITCHYARD_{}?", *meant)};
    }
}

}  // namespace

Result<EffectiveConfig> resolve_config(const ConfigSources& sources) {
    try {
        Resolver resolver;
        if (sources.file) resolver.read_file(*sources.file);
        refuse_mistyped(sources.environment);
        resolver.read_environment(sources.environment);
        resolver.read_flags(sources.flags);
        return resolver.finish();
    } catch (const Refused& refused) {
        return invalid_at(sources.file->name, refused.mark, refused.message, refused.fix);
    } catch (const Error& error) {
        return tl::unexpected(error);
    }
}

bool looks_like_config(const Node& root) {
    constexpr std::array<std::string_view, 5> kOthers{"cluster", "models", "workflows", "requests", "nodes"};
    const auto is_other = [&](const Node& key) {
        return std::find(kOthers.begin(), kOthers.end(), key.text) != kOthers.end();
    };
    return std::none_of(root.keys.begin(), root.keys.end(), is_other) &&
           std::any_of(root.keys.begin(), root.keys.end(),
                       [](const Node& key) { return find_key(key.text) != nullptr; });
}

}  // namespace sy::input
