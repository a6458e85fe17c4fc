#include "input/llama_swap.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "input/reading.h"
#include "input/words.h"

namespace sy::input {

namespace {

constexpr std::size_t kLongestExpansion = 65'536;
constexpr double kLeastHealthTimeout = 15;
constexpr double kUsualHealthTimeout = 120;
constexpr std::size_t kLongestName = 200;

using Macros = std::vector<std::pair<std::string, std::string>>;

/// Why a key plays no part here.
struct Ignored {
    std::string_view key;
    std::string_view why;
};

constexpr std::array kIgnoredAtTop{
    Ignored{"groups", "not needed: memory decides which models are loaded side by side"},
    Ignored{"matrix", "not needed: memory decides which models are loaded side by side"},
    Ignored{"profiles", "not needed: memory decides which models are loaded side by side"},
    Ignored{"startPort", "not needed: each worker takes a free port"},
    Ignored{"globalTTL", "ignored: model_cache_ttl_seconds of the service counts for all models"},
    Ignored{"apiKeys", "ignored: make tokens with 'switchyard token create'"},
    Ignored{"peers", "ignored: only servers of this machine are called"},
};
constexpr std::array kIgnoredOfModels{
    Ignored{"ttl", "ignored: model_cache_ttl_seconds of the service counts for all models"},
    Ignored{"cmdStop", "ignored: the process and all it started are ended; a container is not, unless it ends with it"},
    Ignored{"filters", "ignored: a request is passed on as it is, but for its model"},
    Ignored{"concurrencyLimit", "ignored: a model is called once at a time on each GPU"},
    Ignored{"name", "ignored: a model has the name it is called by"},
};

const Node* find(const Node& map, std::string_view key) {
    if (map.kind != Kind::map) return nullptr;
    for (std::size_t i = 0; i < map.keys.size(); ++i)
        if (map.keys[i].text == key) return &map.items[i];
    return nullptr;
}

/// Of a key of no known use.
template <std::size_t N>
std::string_view why_ignored(const std::array<Ignored, N>& table, std::string_view key) {
    for (const Ignored& entry : table)
        if (entry.key == key) return entry.why;
    return "ignored: it has no meaning here";
}

std::string replaced(std::string text, const std::string& what, const std::string& by, const Node& where) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
        if (text.size() > kLongestExpansion)
            throw Refused{where.mark, fmt::format("with its macros this has more than {} bytes", kLongestExpansion),
                          "do the macros name each other?"};
    }
    return text;
}

std::string environment_value(const std::string& name, const Node& where) {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
    if (value == nullptr)
        throw Refused{where.mark, fmt::format("the environment variable {} is not set", name),
                      "set it for the service, or write the value"};
    return value;
}

/// Later macros may name earlier ones, so the last goes first. What is left must be ${PORT}.
std::string expanded(const Node& value, const Macros& macros, const std::string& what) {
    std::string text = text_of(value, what);
    for (auto macro = macros.rbegin(); macro != macros.rend(); ++macro)
        text = replaced(std::move(text), "${" + macro->first + "}", macro->second, value);
    for (std::size_t at = 0; (at = text.find("${", at)) != std::string::npos;) {
        const std::size_t end = text.find('}', at);
        if (end == std::string::npos) break;
        const std::string name = text.substr(at + 2, end - at - 2);
        if (name == "PORT") {
            at = end;
        } else if (name.starts_with("env.")) {
            const std::string known = environment_value(name.substr(4), value);
            text.replace(at, end + 1 - at, known);
            at += known.size();
        } else {
            throw Refused{value.mark, fmt::format("{} names the macro '{}', which there is none of", what, name),
                          "add it to macros"};
        }
    }
    return text;
}

void add_macros(const Node* value, Macros& macros) {
    if (value == nullptr) return;
    expect(*value, Kind::map, "macros");
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
        const std::string& name = value->keys[i].text;
        const auto known =
            std::find_if(macros.begin(), macros.end(), [&](const auto& macro) { return macro.first == name; });
        if (name == "PORT" || name == "MODEL_ID")
            throw Refused{value->keys[i].mark, fmt::format("the macro {} has its value already", name),
                          "take another name"};
        std::string text = text_of(value->items[i], fmt::format("macro {}", name));
        if (known == macros.end()) {
            macros.emplace_back(name, std::move(text));
        } else {
            known->second = std::move(text);
        }
    }
}

/// "http://127.0.0.1:8999", where the port may be ${PORT}.
void read_proxy(const Node& value, const std::string& proxy, ServerEntry& server) {
    constexpr std::string_view kScheme = "http://";
    const auto refuse = [&] {
        throw Refused{value.mark,
                      fmt::format("proxy is {}, it must be http://ADDRESS:PORT of this machine", shown(proxy)),
                      "write it as in http://127.0.0.1:${PORT}"};
    };
    if (!proxy.starts_with(kScheme)) refuse();
    std::string_view rest = std::string_view(proxy).substr(kScheme.size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) refuse();
    const std::string_view host = rest.substr(0, colon);
    const std::string_view port = rest.substr(colon + 1);
    server.address = host == "localhost" ? "127.0.0.1" : std::string(host);
    if (server.address.find_first_not_of("0123456789.") != std::string::npos) refuse();
    if (port == "${PORT}") return;
    const auto number = parse_number<std::uint16_t>(port);
    if (!number || *number == 0) refuse();
    server.port = *number;
}

class Reader {
public:
    explicit Reader(const Document& document) : document_(document) {}

    ModelFile read() {
        const Node& root = document_.root;
        const Node& models = *find(root, "models");
        expect(models, Kind::map, "models");
        add_macros(find(root, "macros"), macros_);
        if (const Node* seconds = find(root, "healthCheckTimeout"))
            health_timeout_s_ =
                std::max(real_of(*seconds, "healthCheckTimeout", {.least = 0, .most = 86'400}), kLeastHealthTimeout);
        for (std::size_t i = 0; i < models.keys.size(); ++i) read_model(models.keys[i], models.items[i]);
        if (const Node* hooks = find(root, "hooks")) read_hooks(*hooks);
        note_ignored();
        return std::move(file_);
    }

private:
    void read_model(const Node& key, const Node& value) {
        const std::string& name = key.text;
        if (name.empty() || name.size() > kLongestName)
            throw Refused{key.mark, fmt::format("a model's name has 1 to {} bytes", kLongestName),
                          "give it a short name"};
        expect(value, Kind::map, fmt::format("model {}", name));
        Macros macros{{"MODEL_ID", name}};
        macros.insert(macros.end(), macros_.begin(), macros_.end());
        add_macros(find(value, "macros"), macros);
        ModelEntry model;
        model.folder = std::filesystem::current_path().string();
        model.server.emplace();
        model.server->start_timeout_s = health_timeout_s_;
        read_environment(value, name, macros, model);
        read_command(value, name, macros, model);
        read_rest(value, name, macros, model);
        for (const Node& said : value.keys)
            if (!kUsed.contains(said.text)) ignored_[said.text].push_back(name);
        file_.models[name] = std::move(model);
    }

    static void read_command(const Node& value, const std::string& name, const Macros& macros, ModelEntry& model) {
        const Node* cmd = find(value, "cmd");
        if (cmd == nullptr)
            throw Refused{value.mark, fmt::format("model {} has no cmd", name), "write how its server is started"};
        Node plain = *cmd;
        plain.text = without_comments(cmd->text);
        auto words = split_words(expanded(plain, macros, fmt::format("cmd of model {}", name)));
        if (!words)
            throw Refused{cmd->mark, fmt::format("cmd of model {}: {}", name, words.error().message), "close it"};
        if (words->empty())
            throw Refused{cmd->mark, fmt::format("cmd of model {} names no program", name), "write one"};
        model.command = std::move(*words);
        if (const Node* proxy = find(value, "proxy"))
            read_proxy(*proxy, expanded(*proxy, macros, fmt::format("proxy of model {}", name)), *model.server);
        if (model.server->port == 0 && !names_port(model))
            throw Refused{cmd->mark,
                          fmt::format("cmd of model {} does not use ${{PORT}}, and proxy names no port", name),
                          "write ${PORT} where its port belongs"};
    }

    static void read_environment(const Node& value, const std::string& name, const Macros& macros, ModelEntry& model) {
        std::set<std::string> said;
        if (const Node* env = find(value, "env")) {
            expect(*env, Kind::list, fmt::format("env of model {}", name));
            for (const Node& setting : env->items) {
                const std::string text = expanded(setting, macros, fmt::format("env of model {}", name));
                const std::size_t equals = text.find('=');
                if (equals == std::string::npos || equals == 0)
                    throw Refused{setting.mark, fmt::format("env of model {} holds {}", name, shown(text)),
                                  "write it as in NAME=value"};
                model.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
                said.insert(text.substr(0, equals));
            }
        }
        for (const char* key : {"PATH", "HOME"}) {
            const char* ours = std::getenv(key);  // NOLINT(concurrency-mt-unsafe): nobody sets any
            if (ours != nullptr && !said.contains(key)) model.environment.emplace_back(key, ours);
        }
    }

    static void read_rest(const Node& value, const std::string& name, const Macros& macros, ModelEntry& model) {
        if (const Node* health = find(value, "checkEndpoint")) {
            const std::string path = expanded(*health, macros, fmt::format("checkEndpoint of model {}", name));
            if (path != "none" && !path.starts_with('/'))
                throw Refused{
                    health->mark,
                    fmt::format("checkEndpoint of model {} is {}, it must be a path from /", name, shown(path)),
                    "write it as in /health"};
            model.server->health = path == "none" ? "" : path;
        }
        if (const Node* served = find(value, "useModelName"))
            model.server->served_name = expanded(*served, macros, fmt::format("useModelName of model {}", name));
        if (const Node* unlisted = find(value, "unlisted"))
            model.unlisted = flag_of(*unlisted, fmt::format("unlisted of model {}", name));
        if (const Node* aliases = find(value, "aliases")) {
            expect(*aliases, Kind::list, fmt::format("aliases of model {}", name));
            for (const Node& alias : aliases->items) {
                const Node* id = alias.kind == Kind::map ? find(alias, "id") : &alias;
                if (id == nullptr)
                    throw Refused{alias.mark, fmt::format("an alias of model {} has no id", name), "add it"};
                model.aliases.push_back(expanded(*id, macros, fmt::format("an alias of model {}", name)));
            }
        }
        const Node* metadata = find(value, "metadata");
        const Node* ours = metadata != nullptr ? find(*metadata, "switchyard") : nullptr;
        if (ours == nullptr) return;
        const Map map(*ours, fmt::format("metadata.switchyard of model {}", name), {"memory_mb"});
        if (const Node* memory = map.find("memory_mb"))
            model.memory = Bytes(
                static_cast<std::uint64_t>(real_of(*memory, map.of("memory_mb"), {.least = 0, .most = 1e9}) * 1e6));
    }

    /// What is to be loaded when the service starts.
    void read_hooks(const Node& hooks) {
        const Node* start = find(hooks, "on_startup");
        const Node* preload = start != nullptr ? find(*start, "preload") : nullptr;
        if (preload == nullptr) return;
        expect(*preload, Kind::list, "hooks.on_startup.preload");
        for (const Node& model : preload->items) {
            const auto found = file_.models.find(text_of(model, "hooks.on_startup.preload"));
            if (found == file_.models.end())
                throw Refused{model.mark,
                              fmt::format("hooks.on_startup.preload names {}, which is no model", shown(model)),
                              "name one of models"};
            found->second.prewarm = 1;
        }
    }

    void note_ignored() {
        for (const Node& key : document_.root.keys)
            if (!kUsedAtTop.contains(key.text))
                file_.notes.push_back(
                    fmt::format("{}: '{}' is {}", document_.name, key.text, why_ignored(kIgnoredAtTop, key.text)));
        for (const auto& [key, models] : ignored_) {
            constexpr std::size_t kNamed = 3;
            std::string who;
            for (std::size_t i = 0; i < std::min(models.size(), kNamed); ++i) who += (i == 0 ? "" : ", ") + models[i];
            if (models.size() > kNamed) who += fmt::format(" and {} others", models.size() - kNamed);
            file_.notes.push_back(
                fmt::format("{}: '{}' of {} is {}", document_.name, key, who, why_ignored(kIgnoredOfModels, key)));
        }
    }

    static const std::set<std::string_view> kUsed;
    static const std::set<std::string_view> kUsedAtTop;

    const Document& document_;
    Macros macros_;
    double health_timeout_s_ = kUsualHealthTimeout;
    ModelFile file_;
    std::map<std::string, std::vector<std::string>> ignored_;  ///< Keys of models, and whose.
};

const std::set<std::string_view> Reader::kUsed{"cmd",      "proxy",        "checkEndpoint", "aliases", "env",
                                               "unlisted", "useModelName", "macros",        "metadata"};
const std::set<std::string_view> Reader::kUsedAtTop{"models", "macros", "healthCheckTimeout", "hooks"};

}  // namespace

bool is_llama_swap(const Document& document) {
    const Node* models = find(document.root, "models");
    return models != nullptr && models->kind == Kind::map &&
           std::any_of(models->items.begin(), models->items.end(),
                       [](const Node& model) { return find(model, "cmd") != nullptr; });
}

ModelFile read_llama_swap(const Document& document) {
    return Reader(document).read();
}

}  // namespace sy::input
