// The workflows of a batch file: steps, needs, levels, and whether each step can ever run.
#pragma once

#include <string_view>

#include "core/model/batch.h"
#include "input/reading.h"

namespace sy::input {

/// Well formed, but no plan could run it on this cluster.
struct Infeasible {
    Mark mark;
    std::string message;
    std::string fix;
};

/// What steps that run a command have in place of a model.
inline constexpr std::string_view kCommandModel = "(command)";

/// Cluster and models of the batch must have been read.
void read_workflows(const Node& node, Batch& batch);

}  // namespace sy::input
