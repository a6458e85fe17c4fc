// Nesting: how deep a JSON text goes, before anything is made of it. What copies, writes or walks a document calls
// itself for each level, so one that goes too deep would end the process.
#pragma once

#include <string_view>

namespace sy::server {

inline constexpr int kDeepestJson = 100;

/// Brackets within strings do not count. What is no JSON at all is for whoever parses it.
constexpr bool is_nested_too_deeply(std::string_view text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepestJson) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace sy::server
