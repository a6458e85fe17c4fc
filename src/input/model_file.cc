#include "input/model_file.h"

#include <fmt/format.h>

#include "input/reading.h"

namespace sy::input {

namespace {

constexpr Range kMegabytes{.least = 0, .most = 1e9};
constexpr Range kFactor{.least = 0.01, .most = 1'000};
constexpr std::uint64_t kMostPrewarm = 1024;
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

ModelEntry read_model(const Node& value, const std::string& name) {
    const Map map(value, fmt::format("model {}", name), {"command", "folder", "env", "memory_mb", "prewarm", "pinned"});
    ModelEntry model;
    model.command = command_of(map.require("command"), map.of("command"));
    if (const Node* folder = map.find("folder")) {
        model.folder = text_of(*folder, map.of("folder"));
        if (!model.folder.starts_with('/'))
            throw Refused{folder->mark, fmt::format("{} is {}, it must begin with /", map.of("folder"), shown(*folder)),
                          "write the whole path"};
    }
    if (const Node* settings = map.find("env")) model.environment = environment_of(*settings, map.of("env"));
    if (const Node* memory = map.find("memory_mb")) model.memory = megabytes_of(*memory, map.of("memory_mb"));
    if (const Node* prewarm = map.find("prewarm"))
        model.prewarm = static_cast<std::uint32_t>(whole_of(*prewarm, map.of("prewarm"), 0, kMostPrewarm));
    if (const Node* pinned = map.find("pinned")) model.pinned = flag_of(*pinned, map.of("pinned"));
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
    const Map map(root, "the model file", {"models", "task_types", "size_terms"});
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
    return file;
}

}  // namespace

Result<ModelFile> parse_models(const Document& document) {
    try {
        return read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
