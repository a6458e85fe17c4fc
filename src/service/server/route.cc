#include "service/server/route.h"

#include "input/reading.h"

namespace sy::server {

namespace {

/// What stood where a pattern has its braces.
struct Found {
    TaskId task;
    std::string name;
};

/// By a look at their ends: most of them differ there.
bool may_fit(std::string_view pattern, std::string_view path) {
    return path.empty() || pattern.back() == '}' || pattern.back() == path.back();
}

/// Nothing where the path is another one.
std::optional<Found> fit(std::string_view pattern, std::string_view path) {
    const std::size_t at = pattern.find('{');
    if (at == std::string_view::npos) return pattern == path ? std::optional(Found{}) : std::nullopt;
    const std::string_view kind = pattern.substr(at, pattern.find('}') + 1 - at);
    if (!path.starts_with(pattern.substr(0, at))) return std::nullopt;
    const std::string_view rest = path.substr(at);
    const std::string_view text = kind == "{rest}" ? rest : rest.substr(0, rest.find('/'));
    if (text.empty() || rest.substr(text.size()) != pattern.substr(at + kind.size())) return std::nullopt;
    if (kind != "{id}") return Found{{}, std::string(text)};
    const auto id = input::parse_number<std::uint64_t>(text);
    return id ? std::optional(Found{TaskId(*id), {}}) : std::nullopt;
}

}  // namespace

Matched match(const std::vector<Route>& routes, std::string_view method, std::string_view path) {
    Matched matched;
    for (const Route& route : routes) {
        if (!may_fit(route.pattern, path)) continue;
        const auto found = fit(route.pattern, path);
        if (!found) continue;
        matched.allowed += (matched.allowed.empty() ? "" : ", ") + std::string(route.method);
        if (route.method != method) continue;
        matched.route = &route;
        matched.task = found->task;
        matched.name = found->name;
    }
    return matched;
}

}  // namespace sy::server
