// Parts of a mesh: what a file of one says, and what a node says that joins one.
#pragma once

#include "core/model/mesh.h"
#include "input/reading.h"

namespace sy::input {

// All of these throw a Refused.

/// The model, the settings and what links are like of which nothing is said; nodes and links are not read.
Mesh read_mesh_ground(const Map& mesh);
/// `model_mark`: where to point to if the model says too little for this node.
MeshNode read_mesh_node(const Node& entry, const ModelShape& model, const Mark& model_mark);
/// What is not said is as elsewhere.
LinkCosts read_link_costs(const Map& map, const LinkCosts& elsewhere);

/// Whether a link's end of this name is whoever asks and gets the answer.
bool stands_for_client(std::string_view id);
/// Where an entry of nodes says its id; none where it does not.
const Node* id_in(const Node& entry);

}  // namespace sy::input
