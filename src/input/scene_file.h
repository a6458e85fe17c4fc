// Scene file: what happens to a mesh while requests are simulated; docs/schema/scene.schema.json says what it may hold.
#pragma once

#include "base/result.h"
#include "core/model/mesh.h"
#include "core/model/scene.h"
#include "input/document.h"

namespace sy::input {

inline constexpr std::size_t kMostSceneEvents = 10'000;

/// What is accepted can happen: times grow, who joins is not there, who leaves or fails is, and somebody is there at
/// first.
Result<Scene> parse_scene(const Document& document, const Mesh& mesh);

}  // namespace sy::input
