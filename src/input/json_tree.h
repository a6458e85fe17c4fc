// JSON without a detour through the parser of YAML, of which it is a part: large files are mostly JSON, and this reads
// them many times as fast.
#pragma once

#include <optional>
#include <string_view>

#include "input/document.h"

namespace sy::input {

/// The tree that parse_yaml would give, marks and all. Nothing for whatever is not plain JSON: text with escapes, a key
/// twice, too deep nesting, mistakes. parse_yaml then decides, and has the words for what is wrong.
std::optional<Node> parse_plain_json(std::string_view text);

}  // namespace sy::input
