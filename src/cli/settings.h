// Settings of the service as commands take them: a flag for every key, --config, the environment.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "input/service_config.h"

namespace sy::cli {

struct SettingsArguments {
    std::string file;
    std::map<std::string, std::string, std::less<>> flags;  ///< By key; empty: not given.
};

/// The target must outlive them. `only`: flags for these keys alone; all of them where it is empty.
std::vector<Option> settings_options(SettingsArguments& target, const std::vector<std::string_view>& only = {});

Result<input::EffectiveConfig> effective_settings(const SettingsArguments& arguments);

/// The folder these settings name, or the one in the user's home.
std::string folder_of(const input::ServiceConfig& config);

/// The file of tokens these settings name, or the one in the folder.
std::string tokens_file_of(const input::ServiceConfig& config);

}  // namespace sy::cli
