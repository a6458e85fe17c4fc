// Remote: how commands speak to a running service.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/command.h"

namespace sy::cli {

/// The folder a service keeps its things in: what was said, SWITCHYARD_FOLDER, or one in the user's home.
std::string service_folder(const std::string& said);

/// `--server`: what was said, SWITCHYARD_SERVER, or the socket in the service's folder.
std::string server_address(const std::string& said);
/// The option itself.
/// Who is at the keyboard.
std::string user_name();

Option server_option(std::string& target);

/// The answer's JSON. A refusal of the server is an error with the server's words.
Result<nlohmann::ordered_json> ask_server(const std::string& said, const std::string& method, const std::string& target,
                                          const std::string& body = {});

/// Prints the answer as it is.
Exit print_json(const Result<nlohmann::ordered_json>& answer);

}  // namespace sy::cli
