// Pipeline words: what is said to a service that keeps a model over many nodes: which model and by which rules, which
// node joins, which links were measured. The parts are those of a mesh file.
#pragma once

#include <string>
#include <vector>

#include "core/model/mesh.h"
#include "core/pipeline/members/crew_event.h"
#include "core/pipeline/members/crew_settings.h"
#include "input/document.h"

namespace sy::input {

struct PipelineOrder {
    std::string name;
    Mesh ground;  ///< Without nodes and links.
    pipeline::CrewSettings settings;
};

/// {"name": …, "model": {…}, "settings": {…}, "default_link": {…}, "client_link": {…}, "scheduling": {…}}
Result<PipelineOrder> parse_pipeline(const Document& document);

/// What a node says when it joins. Its address is for clients and other nodes: nobody here goes there.
struct JoiningNode {
    pipeline::NodeJoined joined;
    std::string address;  ///< Empty: not said.
};

/// {"node": {…}, "address": …, "links": [{"from": …, "to": …, "rtt_ms": …}], "holds": [first, end]}
Result<JoiningNode> parse_joining_node(const Document& document, const Mesh& ground);

/// {"links": […]}
Result<std::vector<pipeline::MeasuredLink>> parse_measured_links(const Document& document, const Mesh& ground);

}  // namespace sy::input
