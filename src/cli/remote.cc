#include "cli/remote.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "input/document.h"
#include "service/http/client.h"
#include "service/http/leader.h"
#include "service/http/redirect.h"
#include "service/process/account.h"

namespace sy::cli {

namespace {

constexpr std::size_t kLongestToken = 200;

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here changes the environment
    return value != nullptr ? value : "";
}

/// Empty where no file is named.
Result<std::string> token_in(const std::string& path) {
    if (path.empty()) return std::string();
    auto text = input::read_text(path);
    if (!text) return text;
    while (!text->empty() && std::isspace(static_cast<unsigned char>(text->back())) != 0) text->pop_back();
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (text->starts_with("sy_") && text->size() <= kLongestToken && std::all_of(text->begin(), text->end(), is_plain))
        return text;
    return fail(Fault::invalid_input, fmt::format("{} holds no token", path),
                "it must hold the one line that 'switchyard token create' printed");
}

Fault fault_of(unsigned status) {
    return status == 400 || status == 404 || status == 422 ? Fault::invalid_input : Fault::failed;
}

std::string token_file_of(const ServerArguments& server) {
    return server.token_file.empty() ? environment("SWITCHYARD_TOKEN_FILE") : server.token_file;
}

/// What only the one who asks can mend.
std::string fix_for(const ServerArguments& server, unsigned status) {
    if (status == 403) return "use the token of somebody who may ('switchyard token create --role …' makes one)";
    if (status != 401) return "";
    return token_file_of(server).empty() ? "name the file that holds yours with --token-file or SWITCHYARD_TOKEN_FILE"
                                         : "'switchyard token list', on the service's machine, shows which it knows";
}

std::string words_of_standby(const nlohmann::ordered_json& json) {
    const auto leader = json.is_object() ? json.find("leader") : json.end();
    const bool named = json.is_object() && leader != json.end() && leader->is_string();
    return fmt::format("this server stands by; the one at {} leads",
                       named ? leader->get<std::string>() : "another address");
}

/// The one that is named, or the one of several that leads.
Result<std::string> address_among(const ServerArguments& server) {
    std::vector<std::string> servers = http::servers_in(server_address(server.url));
    if (servers.size() == 1) return std::move(servers.front());
    return http::leader_among(servers, client_files_of(server));
}

}  // namespace

tls::ClientFiles client_files_of(const ServerArguments& server) {
    const auto or_environment = [](const std::string& said, const char* name) {
        return said.empty() ? environment(name) : said;
    };
    return {or_environment(server.files.ca, "SWITCHYARD_CA_FILE"),
            or_environment(server.files.certificate, "SWITCHYARD_CERTIFICATE_FILE"),
            or_environment(server.files.key, "SWITCHYARD_KEY_FILE")};
}

std::string service_folder(const std::string& said) {
    if (!said.empty()) return said;
    if (std::string folder = environment("SWITCHYARD_FOLDER"); !folder.empty()) return folder;
    if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) return data + "/switchyard";
    const std::string home = environment("HOME");
    return (home.empty() ? "/tmp" : home) + "/.local/share/switchyard";
}

std::string server_address(const std::string& said) {
    if (!said.empty()) return said;
    if (std::string server = environment("SWITCHYARD_SERVER"); !server.empty()) return server;
    return "unix:" + service_folder("") + "/api.sock";
}

std::string user_name() {
    return process::account_name(::getuid());
}

std::vector<Option> with_server(std::vector<Option> options, ServerArguments& target) {
    options.push_back({"--server", "URL",
                       "Where the service is; of A,B,… the one that leads (default: SWITCHYARD_SERVER, or the socket "
                       "in its folder)",
                       &target.url});
    options.push_back({"--token-file", "FILE", "A file that holds your token (default: SWITCHYARD_TOKEN_FILE, or none)",
                       &target.token_file});
    options.push_back({"--ca-file", "FILE",
                       "Who signed the certificate of an https server (default: SWITCHYARD_CA_FILE, or whom the system "
                       "trusts)",
                       &target.files.ca});
    options.push_back({"--certificate", "FILE",
                       "A certificate to show an https server (default: SWITCHYARD_CERTIFICATE_FILE, or none)",
                       &target.files.certificate});
    options.push_back({"--key-file", "FILE", "Its key (default: SWITCHYARD_KEY_FILE, or none)", &target.files.key});
    return options;
}

/// A server that stands by has done nothing of what it was asked for.
Result<http::Response> ask_plainly(const ServerArguments& server, const std::string& method, const std::string& target,
                                   const std::string& body) {
    const auto token = bearer_of(server);
    if (!token) return tl::unexpected(token.error());
    const http::Manner manner{.bearer = *token, .files = client_files_of(server)};
    const auto address = address_among(server);
    if (!address) return tl::unexpected(address.error());
    auto answer = http::ask(*address, method, target, body, manner);
    if (!answer || answer->status != 307) return answer;
    const auto location = std::find_if(answer->headers.begin(), answer->headers.end(),
                                       [](const auto& header) { return header.first == "Location"; });
    const std::string leader = location == answer->headers.end() ? "" : http::sent_on_to(*address, location->second);
    return leader.empty() ? answer : http::ask(leader, method, target, body, manner);
}

bool says_who(const ServerArguments& server) {
    return !token_file_of(server).empty() || !client_files_of(server).certificate.empty() ||
           server_address(server.url).starts_with("unix:");
}

Result<std::string> bearer_of(const ServerArguments& server) {
    return token_in(token_file_of(server));
}

Result<http::EventStream> listen_to(const ServerArguments& server, const std::string& target,
                                    const std::string& last_id) {
    const auto token = bearer_of(server);
    if (!token) return tl::unexpected(token.error());
    const auto leader = http::leader_among(http::servers_in(server_address(server.url)), client_files_of(server));
    if (!leader) return tl::unexpected(leader.error());
    return http::EventStream::open(*leader, target, last_id, *token, client_files_of(server));
}

Result<nlohmann::ordered_json> ask_server(const ServerArguments& server, const std::string& method,
                                          const std::string& target, const std::string& body) {
    const auto response = ask_plainly(server, method, target, body);
    if (!response) return tl::unexpected(response.error());
    auto json = nlohmann::ordered_json::parse(response->body, nullptr, false);
    if (json.is_discarded()) json = nlohmann::ordered_json{{"error", response->body}};
    if (response->status < 300) return json;
    const std::string fix = fix_for(server, response->status);
    const bool said_why = json.is_object() && json.contains("error") && json["error"].is_string();
    if (response->status == 307) return fail(Fault::failed, words_of_standby(json), "name the server that leads");
    return fail(fault_of(response->status),
                said_why ? json["error"].get<std::string>() : fmt::format("the server answered {}", response->status),
                fix);
}

Exit print_json(const Result<nlohmann::ordered_json>& answer) {
    if (!answer) return complain(answer.error());
    fmt::print("{}\n", answer->dump(2));
    return Exit::done;
}

}  // namespace sy::cli
