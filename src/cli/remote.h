// Remote: how commands speak to a running service.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/command.h"
#include "service/http/event_stream.h"
#include "service/http/message.h"

namespace sy::cli {

/// The folder a service keeps its things in: what was said, SWITCHYARD_FOLDER, or one in the user's home.
std::string service_folder(const std::string& said);

/// Who is at the keyboard.
std::string user_name();

/// Which service, and what to show it.
struct ServerArguments {
    ServerArguments(std::string address = {}) : url(std::move(address)) {}

    std::string url;         ///< `--server`
    std::string token_file;  ///< `--token-file`
    tls::ClientFiles files;  ///< `--ca-file`, `--certificate`, `--key-file`
};

/// What was said, SWITCHYARD_SERVER, or the socket in the service's folder.
std::string server_address(const std::string& said);
/// The options of a command, and with them those that say which service.
std::vector<Option> with_server(std::vector<Option> options, ServerArguments& target);

/// Whether the server learns from the line itself who asks: from a token, a certificate or the socket.
bool says_who(const ServerArguments& server);
/// What TLS needs, as it was said or stands in the environment.
tls::ClientFiles client_files_of(const ServerArguments& server);
/// The token to show; empty where there is none.
Result<std::string> bearer_of(const ServerArguments& server);
/// What happens at the service from now on, or after the event that is known already.
Result<http::EventStream> listen_to(const ServerArguments& server, const std::string& target,
                                    const std::string& last_id);

/// The server's answer, whatever it is. A token is shown where a file names one: never on the command line, where
/// others could read it.
Result<http::Response> ask_plainly(const ServerArguments& server, const std::string& method, const std::string& target,
                                   const std::string& body = {});
/// The answer's JSON. A refusal of the server is an error with the server's words.
Result<nlohmann::ordered_json> ask_server(const ServerArguments& server, const std::string& method,
                                          const std::string& target, const std::string& body = {});

/// Prints the answer as it is.
Exit print_json(const Result<nlohmann::ordered_json>& answer);

}  // namespace sy::cli
