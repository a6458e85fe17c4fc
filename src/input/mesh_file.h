// Mesh file: one model, the nodes that are to hold it between them and the links that join them.
//
// docs/schema/mesh.schema.json says what the file may hold. What is accepted can be appraised
// (core/pipeline/appraise.h): every node has measured rates or all that estimates need, every link joins nodes that are
// there.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/mesh.h"
#include "input/document.h"

namespace sy::input {

Result<Mesh> parse_mesh(const Document& document);
/// The file, or standard input where the path is "-".
Result<Mesh> read_mesh(const std::string& path);

/// It has a model or links: no other file has.
bool looks_like_mesh(const Node& root);

}  // namespace sy::input
