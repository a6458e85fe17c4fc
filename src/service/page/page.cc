#include "service/page/page.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sy::page {

namespace {

/// Nothing from elsewhere, nothing written into the document: a name or an output that holds markup stays text.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, const char*>, 4> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

const char* type_of(std::string_view path) {
    for (const auto& [ending, type] : kTypes)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

}  // namespace

const Embedded* find(std::string_view path) {
    const std::string_view wanted = path == "/" ? std::string_view("/index.html") : path;
    const auto files = embedded();
    const auto found = std::find_if(files.begin(), files.end(), [&](const Embedded& f) { return f.path == wanted; });
    return found == files.end() ? nullptr : &*found;
}

http::Response answer(const http::Request& request) {
    const Embedded* file = find(request.path);
    if (file == nullptr) return {404, "there is no such file\n", "text/plain", {}};
    http::Response response{200, "", type_of(file->path), {}};
    // Asked for each time, and answered with 304 until the binary is another one.
    response.headers = {{"ETag", std::string(file->etag)},
                        {"Cache-Control", "no-cache"},
                        {"Content-Security-Policy", kPolicy},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Referrer-Policy", "no-referrer"}};
    if (request.header("if-none-match").find(file->etag) != std::string::npos) {
        response.status = 304;
        return response;
    }
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(file->gzip);
    return response;
}

}  // namespace sy::page
