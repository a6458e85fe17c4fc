// A division of a model over nodes as JSON, as docs/layers.md describes it.
#pragma once

#include <string>

#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::output {

/// One document. Rates are in tokens a second to the millionth; the client is called source and sink. `tokens_per_s` is
/// the flow with full batches everywhere, `with_kv_room` what is left of it with the requests that nodes have room for.
std::string division_json(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division);

}  // namespace sy::output
