// The door to yaml-cpp: the only file that knows it is yaml.cc.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "input/document.h"

namespace sy::input {

/// `text` must be clean UTF-8. One document, no anchors, no tags, no key twice.
Result<Node> parse_yaml(std::string_view text, const std::string& name);

}  // namespace sy::input
