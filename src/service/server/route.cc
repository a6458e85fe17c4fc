#include "service/server/route.h"

#include "input/reading.h"

namespace sy::server {

namespace {

constexpr std::string_view kId = "{id}";

/// Nothing where the path is another one; the task's number, or 0 where the pattern asks for none.
std::optional<TaskId> fit(std::string_view pattern, std::string_view path) {
    const std::size_t at = pattern.find(kId);
    if (at == std::string_view::npos) return pattern == path ? std::optional(TaskId()) : std::nullopt;
    const std::string_view before = pattern.substr(0, at);
    const std::string_view after = pattern.substr(at + kId.size());
    if (!path.starts_with(before)) return std::nullopt;
    const std::string_view rest = path.substr(at);
    const std::string_view number = rest.substr(0, rest.find('/'));
    if (rest.substr(number.size()) != after) return std::nullopt;
    const auto id = input::parse_number<std::uint64_t>(number);
    return id ? std::optional(TaskId(*id)) : std::nullopt;
}

}  // namespace

Matched match(const std::vector<Route>& routes, std::string_view method, std::string_view path) {
    Matched matched;
    for (const Route& route : routes) {
        const auto task = fit(route.pattern, path);
        if (!task) continue;
        matched.allowed += (matched.allowed.empty() ? "" : ", ") + std::string(route.method);
        if (route.method != method) continue;
        matched.route = &route;
        matched.task = *task;
    }
    return matched;
}

}  // namespace sy::server
