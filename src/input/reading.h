// Reading: small steps from a document's nodes to values, for readers of larger files.
//
// Each step returns the value or throws a Refused, which says where, what and how to mend it. A file's reader catches
// it in one place and returns an Error; it never leaves this folder.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "input/document.h"

namespace sy::input {

struct Refused {
    Mark mark;
    std::string message;
    std::string fix;
};

/// Nothing unless the text is one number and nothing else, and fits.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The value as an error shows it: quoted, cut where long.
std::string shown(const Node& value);
std::string shown(std::string_view text);

/// `what` is what the message calls it: "memory_gb of model bge".
void expect(const Node& value, Kind kind, const std::string& what);
const std::string& text_of(const Node& value, const std::string& what);
bool flag_of(const Node& value, const std::string& what);

struct Range {
    double least = 0;
    double most = 1e12;
    bool above_least = false;  ///< `least` itself is not allowed.
};
double real_of(const Node& value, const std::string& what, const Range& range);
std::uint64_t whole_of(const Node& value, const std::string& what, std::uint64_t least, std::uint64_t most);

/// A map whose keys are all known. Looking up one that is absent gives nothing, or is refused where it is required.
class Map {
public:
    Map(const Node& node, std::string what, std::vector<std::string_view> known);

    const Node* find(std::string_view key) const;
    const Node& require(std::string_view key) const;
    const std::string& what() const { return what_; }
    std::string of(std::string_view key) const { return std::string(key) + " of " + what_; }

private:
    const Node& node_;
    std::string what_;
};

}  // namespace sy::input
