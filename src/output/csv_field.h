// A field of a CSV file, quoted where it would not come back as it is.
#pragma once

#include <string>
#include <string_view>

namespace sy::output {

/// Commas, quotes and line breaks would end it, and spaces around it would be taken for decoration.
inline std::string csv_field(std::string_view text) {
    const bool is_plain =
        text.find_first_of(",\"\r\n") == std::string_view::npos &&
        (text.empty() || (text.find_first_of(" \t") != 0 && text.find_last_of(" \t") != text.size() - 1));
    if (is_plain) return std::string(text);
    std::string out(1, '"');
    for (const char c : text) out += c == '"' ? std::string(2, '"') : std::string(1, c);
    return out + '"';
}

}  // namespace sy::output
