// Settings of the service as commands take them: a flag for every key, --config, the environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "input/service_config.h"

namespace sy::cli {

struct SettingsArguments {
    std::string file;
    std::map<std::string, std::string, std::less<>> flags;  ///< By key; empty: not given.
};

/// The target must outlive them.
std::vector<Option> settings_options(SettingsArguments& target);

Result<input::EffectiveConfig> effective_settings(const SettingsArguments& arguments);

/// The folder these settings name, or the one in the user's home.
std::string folder_of(const input::ServiceConfig& config);

}  // namespace sy::cli
