// A document's node as JSON: what users write in YAML reaches servers and runners as they would expect it.
#pragma once

#include <string>

#include "input/document.h"

namespace sy::input {

/// Quoted scalars are strings; plain ones are numbers, true, false or null where they are written like it.
std::string to_json(const Node& node);

}  // namespace sy::input
