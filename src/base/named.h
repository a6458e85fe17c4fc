// Named: the lines of a registry. A policy's name as users type it, and how to make one.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sy {

template <class Interface>
struct Named {
    std::string_view name;
    std::unique_ptr<Interface> (*make)();
};

template <class Interface, class T>
constexpr Named<Interface> named(std::string_view name) {
    return {name, [] { return std::unique_ptr<Interface>(std::make_unique<T>()); }};
}

/// Nothing where no line has that name.
template <class Lines>
auto make_named(const Lines& lines, std::string_view name) -> decltype(lines.front().make()) {
    for (const auto& line : lines)
        if (line.name == name) return line.make();
    return nullptr;
}

template <class Lines>
std::vector<std::string_view> names_of(const Lines& lines) {
    std::vector<std::string_view> names;
    for (const auto& line : lines) names.push_back(line.name);
    return names;
}

}  // namespace sy
