// A division of a model over nodes for the eye: pipelines, their nodes and a bar for what each holds.
#pragma once

#include <string>
#include <string_view>

#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::cli {

/// `strategy` and `objective` as the user typed them; no objective: what the strategy is for.
std::string layers_summary(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                           std::string_view strategy, std::string_view objective);

}  // namespace sy::cli
