#include "service/openai/multipart.h"

#include <algorithm>
#include <cctype>

namespace sy::openai {

namespace {

constexpr std::size_t kMostHeader = 8'192;
constexpr std::size_t kMostBoundary = 200;

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
}

/// Of `form-data; name="file"; filename="a \"b\".jsonl"`; empty where there is none.
std::string parameter(std::string_view header, const std::string& name) {
    const std::string small = lower(header);
    for (std::size_t at = small.find(name + "="); at != std::string::npos; at = small.find(name + "=", at + 1)) {
        if (at == 0 || (small[at - 1] != ' ' && small[at - 1] != ';')) continue;  // "filename=" ends in "name="
        std::string_view rest = header.substr(at + name.size() + 1);
        if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of("; \t\r\n")));
        std::string value;
        for (std::size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
            if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
            value.push_back(rest[i]);
        }
        return value;
    }
    return "";
}

std::string disposition_of(std::string_view headers) {
    while (!headers.empty()) {
        const std::string_view line = headers.substr(0, headers.find("\r\n"));
        headers.remove_prefix(std::min(headers.size(), line.size() + 2));
        constexpr std::string_view kName = "content-disposition:";
        if (lower(line.substr(0, kName.size())) == kName) return std::string(line.substr(kName.size()));
    }
    return "";
}

}  // namespace

std::optional<std::vector<Part>> read_form(std::string_view content_type, std::string_view body) {
    if (!lower(content_type).starts_with("multipart/form-data")) return std::nullopt;
    const std::string boundary = parameter(content_type, "boundary");
    if (boundary.empty() || boundary.size() > kMostBoundary) return std::nullopt;
    const std::string opening = "--" + boundary;
    const std::string between = "\r\n--" + boundary;
    if (!body.starts_with(opening)) return std::nullopt;
    body.remove_prefix(opening.size());
    std::vector<Part> parts;
    while (!body.starts_with("--")) {
        if (!body.starts_with("\r\n") || parts.size() == kMostParts) return std::nullopt;
        body.remove_prefix(2);
        const std::size_t blank = body.substr(0, kMostHeader).find("\r\n\r\n");
        if (blank == std::string_view::npos) return std::nullopt;
        const std::string disposition = disposition_of(body.substr(0, blank));
        body.remove_prefix(blank + 4);
        const std::size_t end = body.find(between);
        if (end == std::string_view::npos) return std::nullopt;
        Part part{parameter(disposition, "name"), parameter(disposition, "filename"), body.substr(0, end)};
        if (part.name.empty()) return std::nullopt;
        parts.push_back(std::move(part));
        body.remove_prefix(end + between.size());
    }
    return parts;
}

}  // namespace sy::openai
