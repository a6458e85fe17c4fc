#include "cli/settings.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/remote.h"

namespace sy::cli {

namespace {

std::map<std::string, std::string> whole_environment() {
    std::map<std::string, std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

}  // namespace

std::vector<Option> settings_options(SettingsArguments& target, const std::vector<std::string_view>& only) {
    std::vector<Option> options{
        {"--config", "FILE", "Settings as YAML (default: SWITCHYARD_CONFIG, or none)", &target.file}};
    const input::ServiceConfig defaults;
    for (const input::ConfigKey& key : input::config_keys()) {
        if (!only.empty() && std::find(only.begin(), only.end(), key.name) == only.end()) continue;
        options.push_back({input::flag_name(key), "V",
                           fmt::format("{} (default {})", key.meaning, input::value_text(key, defaults)),
                           &target.flags[std::string(key.name)]});
    }
    return options;
}

Result<input::EffectiveConfig> effective_settings(const SettingsArguments& arguments) {
    input::ConfigSources sources;
    sources.environment = whole_environment();
    for (const auto& [key, text] : arguments.flags)
        if (!text.empty()) sources.flags.emplace(key, text);
    const std::string file = arguments.file.empty() ? sources.environment["SWITCHYARD_CONFIG"] : arguments.file;
    if (!file.empty()) {
        auto document = input::read_document(file);
        if (!document) return tl::unexpected(document.error());
        sources.file = std::move(*document);
    }
    return input::resolve_config(sources);
}

std::string folder_of(const input::ServiceConfig& config) {
    return std::filesystem::absolute(service_folder(config.folder)).lexically_normal().string();
}

std::string tokens_file_of(const input::ServiceConfig& config) {
    return config.tokens_file.empty() ? folder_of(config) + "/tokens.json"
                                      : std::filesystem::absolute(config.tokens_file).lexically_normal().string();
}

}  // namespace sy::cli
