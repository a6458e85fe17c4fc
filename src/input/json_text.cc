#include "input/json_text.h"

#include <string_view>

#include <fmt/format.h>

#include "input/decimal.h"

namespace sy::input {

namespace {

/// By JSON's grammar, which is narrower than that of YAML: 0755 and .5 stay text.
bool is_number(std::string_view text) {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t from = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return at > from;
    };
    const auto take = [&](std::string_view any_of) {
        const bool there = at < text.size() && any_of.find(text[at]) != std::string_view::npos;
        if (there) ++at;
        return there;
    };
    take("-");
    const std::size_t whole = at;
    if (!digits() || (text[whole] == '0' && at - whole > 1)) return false;
    if (take(".") && !digits()) return false;
    if (take("eE")) {
        take("+-");
        if (!digits()) return false;
    }
    return at == text.size();
}

void put_string(std::string_view text, std::string& out) {
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

void put_scalar(const Node& node, std::string& out) {
    const std::string& text = node.text;
    const bool is_word = text == "true" || text == "false" || text == "null";
    if (!node.quoted && text == "~") {
        out += "null";
    } else if (!node.quoted && (is_word || is_number(text))) {
        out += text;
    } else {
        put_string(text, out);
    }
}

void put(const Node& node, std::string& out) {
    switch (node.kind) {
        case Kind::nothing: out += "null"; return;
        case Kind::scalar: put_scalar(node, out); return;
        case Kind::list:
            out += '[';
            for (std::size_t i = 0; i < node.items.size(); ++i) {
                if (i > 0) out += ',';
                put(node.items[i], out);
            }
            out += ']';
            return;
        case Kind::map:
            out += '{';
            for (std::size_t i = 0; i < node.items.size(); ++i) {
                if (i > 0) out += ',';
                put_string(node.keys[i].text, out);
                out += ':';
                put(node.items[i], out);
            }
            out += '}';
            return;
    }
}

}  // namespace

std::string to_json(const Node& node) {
    std::string out;
    put(node, out);
    return out;
}

}  // namespace sy::input
