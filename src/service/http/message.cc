#include "service/http/message.h"

#include <iterator>
#include <utility>

#include <fmt/compile.h>

namespace sy::http {

namespace {

constexpr std::size_t kUsualHead = 256;

int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain.push_back(text[i] == '+' ? ' ' : text[i]);
            continue;
        }
        if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return std::nullopt;
        plain.push_back(static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2])));
        i += 2;
    }
    return plain;
}

}  // namespace

const char* reason_of(unsigned status) {
    switch (status) {
        case 101: return "Switching Protocols";
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 422: return "Unprocessable Content";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 499: return "Client Closed Request";
        case 500: return "Internal Server Error";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 507: return "Insufficient Storage";
        default: return "Unknown";
    }
}

std::string bytes_of(const Response& response, bool keep_alive) {
    const bool endless = static_cast<bool>(response.opened);
    const bool upgraded = response.status == 101;
    std::string bytes;
    bytes.reserve(kUsualHead + response.body.size());
    const auto out = std::back_inserter(bytes);
    fmt::format_to(out, FMT_COMPILE("HTTP/1.1 {} {}\r\n"), response.status, reason_of(response.status));
    if (!endless) fmt::format_to(out, FMT_COMPILE("Content-Length: {}\r\n"), response.body.size());
    if ((endless && !upgraded) || !response.body.empty())
        fmt::format_to(out, FMT_COMPILE("Content-Type: {}\r\n"), response.content_type);
    for (const auto& [name, value] : response.headers) fmt::format_to(out, FMT_COMPILE("{}: {}\r\n"), name, value);
    if (upgraded) {
        bytes += "Connection: Upgrade\r\n";
    } else if (!keep_alive || endless) {
        bytes += "Connection: close\r\n";
    }
    return std::move(bytes.append("\r\n").append(response.body));
}

bool split_target(std::string_view target, Request& request) {
    if (!target.starts_with('/')) return false;
    const std::size_t mark = target.find('?');
    auto path = decoded(target.substr(0, mark));
    if (!path || path->find('\0') != std::string::npos) return false;
    request.target = target;
    request.path = std::move(*path);
    std::string_view query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        const auto key = decoded(part.substr(0, equals));
        const auto value = equals == std::string_view::npos ? std::string() : decoded(part.substr(equals + 1));
        if (!key || !value) return false;
        if (!key->empty()) request.query[*key] = *value;
    }
    return true;
}

}  // namespace sy::http
