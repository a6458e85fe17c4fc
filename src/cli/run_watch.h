// RunWatch: follows a run of a service until it ends, with one line on a terminal that says how it stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "cli/remote.h"

namespace sy::cli {

/// "128 of 300 done, 8 running, 3 failed, 14 switches, 41 s of about 97 s, 2 % over the plan".
std::string progress_text(const nlohmann::ordered_json& run);

/// The run as it ended; nothing where Ctrl-C was pressed: it goes on without us.
Result<std::optional<nlohmann::ordered_json>> watch_run(const ServerArguments& server, std::uint64_t id, bool quiet);

/// All jobs, planned and actual.
Result<nlohmann::ordered_json> fetch_timeline(const ServerArguments& server, std::uint64_t id);

/// Writes what came out of every request to a file, or to standard output where it is "-".
Result<void> fetch_results(const ServerArguments& server, std::uint64_t id, const std::string& path);

}  // namespace sy::cli
