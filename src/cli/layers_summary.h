// A division of a model over nodes for the eye: pipelines, their nodes and a bar for what each holds.
#pragma once

#include <string>
#include <string_view>

#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::cli {

std::string layers_summary(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                           std::string_view strategy);

}  // namespace sy::cli
