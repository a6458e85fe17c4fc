// A division of a model over nodes as a picture: a row for each node, the layers from left to right.
#pragma once

#include <string>

#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::output {

/// Nodes in the order of their layers, pipeline by pipeline where no node serves two; those that hold nothing are left
/// out. Brighter bars are busier.
std::string division_svg(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division);

}  // namespace sy::output
