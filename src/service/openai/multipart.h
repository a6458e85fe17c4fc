// Multipart: the parts of a form that was sent as multipart/form-data (RFC 7578), as browsers and OpenAI's clients send
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sy::openai {

struct Part {
    std::string name;
    std::string filename;      ///< Empty: it is a field, not a file.
    std::string_view content;  ///< Within the body.
};

inline constexpr std::size_t kMostParts = 16;

/// `content_type`: the header, with its boundary. Nothing where the body is no such form, or has more than kMostParts.
std::optional<std::vector<Part>> read_form(std::string_view content_type, std::string_view body);

}  // namespace sy::openai
