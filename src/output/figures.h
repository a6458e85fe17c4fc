// Figures: names and numbers as a page or a picture shows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sy::output {

/// Fit for text and for attributes in double quotes, in HTML and in SVG.
std::string escaped(std::string_view text);

/// "1,040,000"
std::string in_threes(std::uint64_t number);

/// Seconds as people say them: "12.0 s", "3.5 min", "7.2 h", "4.0 d".
std::string span_text(double seconds);

}  // namespace sy::output
