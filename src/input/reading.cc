#include "input/reading.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "input/fields.h"

namespace sy::input {

namespace {

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::nothing: return "empty";
        case Kind::scalar: return "a single value";
        case Kind::list: return "a list";
        case Kind::map: return "a map";
    }
    return "?";
}

}  // namespace

std::string shown(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::size_t cut = std::min(text.size(), kLongest);
    if (cut < text.size())
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;  // not inside a character
    std::string line(text.substr(0, cut));
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return fmt::format("'{}{}'", line, cut < text.size() ? "…" : "");
}

std::string shown(const Node& value) {
    return value.kind == Kind::scalar ? shown(std::string_view(value.text)) : name_of(value.kind);
}

void expect(const Node& value, Kind kind, const std::string& what) {
    if (value.kind == kind) return;
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), name_of(kind)),
                  fmt::format("write {}", name_of(kind))};
}

const std::string& text_of(const Node& value, const std::string& what) {
    expect(value, Kind::scalar, what);
    if (value.text.empty()) throw Refused{value.mark, what + " is empty", "give it a name"};
    return value.text;
}

bool flag_of(const Node& value, const std::string& what) {
    if (value.kind == Kind::scalar && value.text == "true") return true;
    if (value.kind == Kind::scalar && value.text == "false") return false;
    throw Refused{value.mark, fmt::format("{} is {}, it must be true or false", what, shown(value)),
                  "write true or false"};
}

double real_of(const Node& value, const std::string& what, const Range& range) {
    const auto number = value.kind == Kind::scalar ? parse_number<double>(value.text) : std::nullopt;
    const bool fits = number && std::isfinite(*number) && *number <= range.most &&
                      (range.above_least ? *number > range.least : *number >= range.least);
    if (fits) return *number;
    const std::string rule = fmt::format("a number {} {} and at most {}", range.above_least ? "above" : "of at least",
                                         range.least, range.most);
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), rule), "write " + rule};
}

std::uint64_t whole_of(const Node& value, const std::string& what, std::uint64_t least, std::uint64_t most) {
    const auto number = value.kind == Kind::scalar ? parse_number<std::uint64_t>(value.text) : std::nullopt;
    if (number && *number >= least && *number <= most) return *number;
    const std::string rule = fmt::format("a whole number from {} to {}", least, most);
    throw Refused{value.mark, fmt::format("{} is {}, it must be {}", what, shown(value), rule), "write " + rule};
}

Map::Map(const Node& node, std::string what, std::vector<std::string_view> known)
    : node_(node), what_(std::move(what)) {
    expect(node, Kind::map, what_);
    for (const Node& key : node.keys) {
        if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
        const auto meant = nearest_word(key.text, known);
        throw Refused{
            key.mark, fmt::format("unknown key {} in {}", shown(key), what_),
            meant ? fmt::format("did you mean {}?", *meant) : fmt::format("known keys: {}", fmt::join(known, ", "))};
    }
}

const Node* Map::find(std::string_view key) const {
    for (std::size_t i = 0; i < node_.keys.size(); ++i)
        if (node_.keys[i].text == key) return &node_.items[i];
    return nullptr;
}

const Node& Map::require(std::string_view key) const {
    if (const Node* found = find(key)) return *found;
    throw Refused{node_.mark, fmt::format("{} has no {}", what_, key), fmt::format("add {}", key)};
}

}  // namespace sy::input
