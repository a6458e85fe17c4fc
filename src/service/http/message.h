// HTTP messages as the service sees them: no library's types beyond this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sy::http {

class Stream;
/// Who is at the other end, as the system has it.
struct Peer {
    std::string address;               ///< Over TCP, without the port.
    std::optional<std::uint32_t> uid;  ///< Over a socket in the file system.
    bool sealed = false;               ///< Over TLS.
    std::string certificate;           ///< Whom its certificate names, where it showed one that we trust.
};

struct Request {
    std::string method;
    std::string target;                          ///< As the client wrote it: path and query, not decoded.
    std::string path;                            ///< Decoded, without the query.
    std::map<std::string, std::string> query;    ///< Decoded; of a key given twice the last.
    std::map<std::string, std::string> headers;  ///< Names in lower case.
    std::string body;
    bool keep_alive = true;
    Peer peer;
    /// Takes whom to call if the client goes away before its answer has ended. Empty where nobody can tell.
    std::function<void(std::function<void()>)> when_gone = {};

    std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
};

struct Response {
    unsigned status = 200;
    std::string body;
    std::string content_type = "application/json";
    std::vector<std::pair<std::string, std::string>> headers;
    /// Where set, the answer has no end: it is called once the head is on its way, and what it pushes is the body.
    std::function<void(std::shared_ptr<Stream>)> opened = {};
    /// What comes on a stream after its answer, where somebody wants it (status 101). Until the line is dead.
    std::function<void(std::string_view)> heard = {};
    std::string note = {};  ///< For our own records; not sent.
};

const char* reason_of(unsigned status);

/// The head and the body as bytes.
std::string bytes_of(const Response& response, bool keep_alive);

/// Path and query of a request's target; nothing where it is not one.
bool split_target(std::string_view target, Request& request);

}  // namespace sy::http
