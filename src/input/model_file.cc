#include "input/model_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "input/llama_swap.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr Range kMegabytes{.least = 0, .most = 1e9};
constexpr Range kFactor{.least = 0.01, .most = 1'000};
constexpr Range kStartTimeout{.least = 1e-3, .most = 86'400};
constexpr std::uint64_t kMostPrewarm = 1024;
constexpr std::uint64_t kMostSleeping = 64;
constexpr std::uint64_t kLastPort = 65'535;
constexpr std::size_t kMostModels = 10'000;
constexpr std::size_t kLongestName = 200;

Bytes megabytes_of(const Node& value, const std::string& what) {
    return Bytes(static_cast<std::uint64_t>(real_of(value, what, kMegabytes) * 1e6));
}

std::vector<std::string> command_of(const Node& value, const std::string& what) {
    expect(value, Kind::list, what);
    std::vector<std::string> words;
    for (const Node& word : value.items) words.push_back(text_of(word, what));
    if (words.empty() || words.front().empty())
        throw Refused{value.mark, fmt::format("{} names no program", what), "write it as in [python3, runner.py]"};
    return words;
}

std::vector<std::pair<std::string, std::string>> environment_of(const Node& value, const std::string& what) {
    expect(value, Kind::map, what);
    std::vector<std::pair<std::string, std::string>> settings;
    for (std::size_t i = 0; i < value.keys.size(); ++i)
        settings.emplace_back(value.keys[i].text, text_of(value.items[i], what));
    return settings;
}

std::string path_of(const Node& value, const std::string& what) {
    const std::string& path = text_of(value, what);
    const bool plain = std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (!path.starts_with('/') || !plain)
        throw Refused{value.mark, fmt::format("{} is {}, it must be a path from /", what, shown(value)),
                      "write it as in /health"};
    return path;
}

std::string address_of(const Node& value, const std::string& what) {
    const std::string& address = text_of(value, what);
    unsigned dots = 0;
    const bool plain = std::all_of(address.begin(), address.end(), [&](char c) {
        dots += c == '.' ? 1 : 0;
        return (c >= '0' && c <= '9') || c == '.';
    });
    if (!plain || dots != 3)
        throw Refused{value.mark, fmt::format("{} is {}, it must be an IPv4 address", what, shown(value)),
                      "write it as in 127.0.0.1"};
    return address;
}

void read_sleep(const Node& value, const std::string& name, ServerEntry& server) {
    const Map map(value, fmt::format("sleep of model {}", name), {"path", "wake", "keeps_mb"});
    server.sleep = path_of(map.require("path"), map.of("path"));
    server.wake = path_of(map.require("wake"), map.of("wake"));
    if (const Node* keeps = map.find("keeps_mb")) server.asleep_memory = megabytes_of(*keeps, map.of("keeps_mb"));
}

constexpr std::array<std::string_view, 6> kServerKeys{"health", "start_timeout_s", "address",
                                                      "port",   "served_name",     "sleep"};

ServerEntry read_server(const Map& map, const std::string& name) {
    ServerEntry server;
    if (const Node* health = map.find("health")) {
        const bool none = health->kind == Kind::scalar && health->text == "none";
        server.health = none ? "" : path_of(*health, map.of("health"));
    }
    if (const Node* seconds = map.find("start_timeout_s"))
        server.start_timeout_s = real_of(*seconds, map.of("start_timeout_s"), kStartTimeout);
    if (const Node* address = map.find("address")) server.address = address_of(*address, map.of("address"));
    if (const Node* port = map.find("port"))
        server.port = static_cast<std::uint16_t>(whole_of(*port, map.of("port"), 1, kLastPort));
    if (const Node* served = map.find("served_name")) server.served_name = text_of(*served, map.of("served_name"));
    if (const Node* sleep = map.find("sleep")) read_sleep(*sleep, name, server);
    return server;
}

/// The command, or the server with what belongs to it.
void read_program(const Map& map, const Node& value, const std::string& name, ModelEntry& model) {
    const Node* server = map.find("server");
    if (server == nullptr) {
        for (const std::string_view key : kServerKeys)
            if (const Node* odd = map.find(key))
                throw Refused{odd->mark, fmt::format("{} is for a model that has a server", map.of(key)),
                              "write server: instead of command:, or leave it out"};
        model.command = command_of(map.require("command"), map.of("command"));
        return;
    }
    if (const Node* command = map.find("command"))
        throw Refused{command->mark, fmt::format("model {} has both a command and a server", name),
                      "leave one of them out"};
    model.command = command_of(*server, map.of("server"));
    model.server = read_server(map, name);
    if (model.server->port == 0 && !names_port(model))
        throw Refused{value.mark, fmt::format("server of model {} is not told its port", name),
                      "write ${PORT} where its port belongs, or say the port it has"};
}

void read_when_unused(const Map& map, ModelEntry& model) {
    const Node* when = map.find("when_unused");
    if (when == nullptr) return;
    const std::string& said = text_of(*when, map.of("when_unused"));
    if (said == "keep") {
        model.when_unused = WhenUnused::keep;
        model.pinned = true;
    } else if (said == "offload") {
        model.when_unused = WhenUnused::offload;
        if (!model.server || model.server->sleep.empty())
            throw Refused{when->mark, fmt::format("{} is offload, and it cannot sleep", map.of("when_unused")),
                          "say how it does: sleep: {path: ..., wake: ...}"};
    } else if (said != "unload") {
        throw Refused{when->mark,
                      fmt::format("{} is {}, it must be unload, offload or keep", map.of("when_unused"), shown(*when)),
                      "take one of them"};
    }
}

std::vector<std::string> aliases_of(const Node& value, const std::string& what) {
    expect(value, Kind::list, what);
    std::vector<std::string> names;
    for (const Node& name : value.items) names.push_back(text_of(name, what));
    return names;
}

ModelEntry read_model(const Node& value, const std::string& name) {
    const Map map(value, fmt::format("model {}", name),
                  {"command", "folder", "env", "memory_mb", "prewarm", "pinned", "server", "health", "start_timeout_s",
                   "address", "port", "served_name", "sleep", "aliases", "when_unused", "unlisted"});
    ModelEntry model;
    if (const Node* settings = map.find("env")) model.environment = environment_of(*settings, map.of("env"));
    read_program(map, value, name, model);
    if (const Node* folder = map.find("folder")) {
        model.folder = text_of(*folder, map.of("folder"));
        if (!model.folder.starts_with('/'))
            throw Refused{folder->mark, fmt::format("{} is {}, it must begin with /", map.of("folder"), shown(*folder)),
                          "write the whole path"};
    }
    if (const Node* memory = map.find("memory_mb")) model.memory = megabytes_of(*memory, map.of("memory_mb"));
    if (const Node* prewarm = map.find("prewarm"))
        model.prewarm = static_cast<std::uint32_t>(whole_of(*prewarm, map.of("prewarm"), 0, kMostPrewarm));
    if (const Node* pinned = map.find("pinned")) model.pinned = flag_of(*pinned, map.of("pinned"));
    if (const Node* unlisted = map.find("unlisted")) model.unlisted = flag_of(*unlisted, map.of("unlisted"));
    if (const Node* aliases = map.find("aliases")) model.aliases = aliases_of(*aliases, map.of("aliases"));
    read_when_unused(map, model);
    return model;
}

std::map<std::string, double> read_figures(const Node* value, const std::string& what, const Range& range) {
    std::map<std::string, double> figures;
    if (value == nullptr) return figures;
    expect(*value, Kind::map, what);
    for (std::size_t i = 0; i < value->keys.size(); ++i)
        figures[value->keys[i].text] =
            real_of(value->items[i], fmt::format("{} of {}", value->keys[i].text, what), range);
    return figures;
}

ModelFile read(const Node& root) {
    const Map map(root, "the model file", {"models", "task_types", "size_terms", "most_sleeping"});
    ModelFile file;
    const Node& models = map.require("models");
    expect(models, Kind::map, "models");
    if (models.keys.size() > kMostModels)
        throw Refused{models.mark, fmt::format("there are {} models, the limit is {}", models.keys.size(), kMostModels),
                      "list fewer"};
    for (std::size_t i = 0; i < models.keys.size(); ++i) {
        const std::string& name = models.keys[i].text;
        if (name.empty() || name.size() > kLongestName)
            throw Refused{models.keys[i].mark, fmt::format("a model's name has 1 to {} bytes", kLongestName),
                          "give it a short name"};
        file.models[name] = read_model(models.items[i], name);
    }
    file.task_types = read_figures(map.find("task_types"), "task_types", kFactor);
    file.size_terms = read_figures(map.find("size_terms"), "size_terms", kMegabytes);
    if (const Node* most = map.find("most_sleeping"))
        file.most_sleeping = static_cast<std::uint32_t>(whole_of(*most, "most_sleeping", 0, kMostSleeping));
    return file;
}

}  // namespace

bool names_port(const ModelEntry& model) {
    constexpr std::string_view kPort = "${PORT}";
    const auto has = [&](const std::string& text) { return text.find(kPort) != std::string::npos; };
    return std::any_of(model.command.begin(), model.command.end(), has) ||
           std::any_of(model.environment.begin(), model.environment.end(),
                       [&](const auto& setting) { return has(setting.second); });
}

namespace {

/// Refuses names that are used twice.
Result<void> check_names(const ModelFile& file) {
    std::map<std::string, std::string> owners;
    for (const auto& [name, model] : file.models)
        for (const std::string& alias : model.aliases) {
            const bool is_model = file.models.contains(alias);
            const auto [owner, is_new] = owners.emplace(alias, name);
            if (is_model || !is_new)
                return fail(Fault::invalid_input,
                            fmt::format("alias '{}' of model {} is also {}", alias, name,
                                        is_model ? "a model" : "one of model " + owner->second),
                            "give it to one of them");
            if (alias.empty() || alias.size() > kLongestName)
                return fail(Fault::invalid_input,
                            fmt::format("an alias of model {} has 1 to {} bytes", name, kLongestName));
        }
    return {};
}

}  // namespace

Result<ModelFile> parse_models(const Document& document) {
    try {
        ModelFile file = is_llama_swap(document) ? read_llama_swap(document) : read(document.root);
        if (const auto good = check_names(file); !good)
            return fail(Fault::invalid_input, fmt::format("{}: {}", document.name, good.error().message),
                        good.error().fix);
        return file;
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
