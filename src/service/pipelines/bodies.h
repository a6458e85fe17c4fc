// Bodies: what nodes and clients of a pipeline say, read from the JSON they sent. Whatever stands there, what comes out
// is within its limits or a Wrong that names the field. A field that is null was not said.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/pipeline/members/crew_event.h"

namespace sy::pipelines {

using Json = nlohmann::ordered_json;

/// Thrown by what reads a body, caught where it is answered.
struct Wrong {
    std::string message;
};

struct SaidBeat {
    pipeline::Beat beat;
    std::optional<pipeline::Range>
        holds;  ///< Nothing: it says nothing of what it holds. An empty one: it holds nothing.
    bool load_failed = false;
};
/// One beat, or the list of them under `beats`.
struct SaidBeats {
    std::vector<SaidBeat> all;
    bool are_many = false;
};
SaidBeats read_beats(const Json& body, std::uint32_t layers);

/// What leaves.
std::string read_leaving_node(const Json& body);

struct SaidRoute {
    std::optional<RequestId> request;  ///< Where an earlier one asks again.
    pipeline::RequestAsked asked;      ///< Without its id.
};
SaidRoute read_route(const Json& body);

pipeline::StageFailed read_failed_stage(const Json& body);
RequestId read_ended_request(const Json& body);

}  // namespace sy::pipelines
