// `switchyard layers --simulate N --scene FILE`: requests over a mesh whose nodes come and go, latency before, during
// and after each event.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/layers_simulate.h"

namespace sy::cli {

struct SceneWishes {
    const std::string& strategy;
    const TrafficWishes& traffic;
    bool json = false;
};

/// A table for the eye, or one JSON document. `division` is that of all nodes: it tells how many requests come.
Result<std::string> play_layers(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                                const SceneWishes& wishes);

}  // namespace sy::cli
