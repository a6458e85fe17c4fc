// Cluster file: the machines to try a trace on, from a shape such as 16x8 or from a file that lists them.
//
// docs/schema/cluster.schema.json says what the file may hold; the cluster of a batch file will do as well.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"
#include "input/document.h"

namespace sy::input {

/// What follows --cluster: "16x8" is 16 nodes of 8 GPUs, "4x8+2x4" has two sorts of nodes, everything else is a file.
Result<Cluster> read_cluster(const std::string& argument);

/// The shape alone. A wrong one is Fault::usage.
Result<Cluster> parse_shape(std::string_view shape);
Result<Cluster> parse_cluster(const Document& document);

}  // namespace sy::input
