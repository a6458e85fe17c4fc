// The model of a mesh file: how it is built, and what was measured of it.
#pragma once

#include "core/model/mesh.h"
#include "input/reading.h"

namespace sy::input {

/// Throws a Refused.
ModelShape read_mesh_model(const Node& node);

/// Like Map::find; `null` counts as not said.
const Node* given(const Map& map, std::string_view key);

}  // namespace sy::input
