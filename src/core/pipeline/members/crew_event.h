// What happens to a crew, and what it wants done about it.
//
// Nodes go by their ids. Stages of routes go by places in the crew (Crew::id_of names them, until the next step).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/mesh.h"
#include "core/model/task.h"
#include "core/pipeline/placement.h"

namespace sy::pipeline {

/// A link measured; no id stands for the client. One to an id that is not there counts from when it joins, as long as
/// the node at the other end stays.
struct MeasuredLink {
    std::string from;
    std::string to;
    LinkCosts costs;
};

/// A node that is there already has started anew. What it says it holds it goes on holding, and serves at once: so a
/// node that was taken for lost comes back, and a crew that was started anew is what its nodes make it.
struct NodeJoined {
    MeshNode node;
    std::vector<MeasuredLink> links;
    Range holds{};  ///< Loaded already, and nothing else; ignored where it would not fit.
};
struct NodeLeft {
    std::string node;
};
/// It lives, and took so long for a step of each layer it holds, on average of so many.
struct Beat {
    std::string node;
    Duration each{};
    std::uint32_t steps = 0;
};
struct LinkMeasured {
    MeasuredLink link;
};
/// The node holds exactly these layers now, as it was told to.
struct LayersLoaded {
    std::string node;
    Range range;
};
/// Of what the node was thought to hold only these are there: it was started anew, say. Requests through it go another
/// way, and it is told to load what it is to hold.
struct LayersLost {
    std::string node;
    Range left;
};
/// It cannot; it is given up, and may join again.
struct LoadFailed {
    std::string node;
};
/// An id that is known already asks for its route again, and is known to be wanted still.
struct RequestAsked {
    RequestId request;
    Level level = Level::normal;
    std::optional<std::uint32_t> prompt_tokens{};
    std::optional<std::uint32_t> output_tokens{};
};
/// All of its tokens came, or whoever asked went away.
struct RequestEnded {
    RequestId request;
    bool came_through = true;  ///< As far as anybody knows.
};
/// A node did not do its part of the request.
struct StageFailed {
    RequestId request;
    std::string node;
};
struct Tick {};

using CrewEvent = std::variant<NodeJoined, NodeLeft, Beat, LinkMeasured, LayersLoaded, LayersLost, LoadFailed,
                               RequestAsked, RequestEnded, StageFailed, Tick>;

/// Hold these layers and no others; those in `keep` are there already. An empty range: hold nothing. Answer with
/// LayersLoaded, unless it is empty.
struct LoadLayers {
    std::string node;
    Range range;
    Range keep;

    friend bool operator==(const LoadLayers&, const LoadLayers&) = default;
};
struct NodeRefused {
    std::string node;
    std::string reason;
};
enum class Loss : std::uint8_t { left, silent, could_not_load };
struct NodeLost {
    std::string node;
    Loss loss = Loss::left;
};
/// Somebody spoke who is not here: it should join.
struct NodeUnknown {
    std::string node;
};

struct RouteGiven {
    RequestId request;
    Pipeline stages;
};
/// Its way broke or had to be cleared, and there is no other yet: it waits.
struct RequestParked {
    RequestId request;
};
/// As parked ones, or at once: go on like this.
struct RequestRerouted {
    RequestId request;
    Pipeline stages;
};
enum class Denial : std::uint8_t {
    not_servable,     ///< The nodes do not hold the model.
    over_forecast,    ///< More is asked for than the pipelines put through: waiting would not end.
    line_full,        ///< As many wait as may.
    waited_too_long,  ///< For a way.
    kept_failing,     ///< Its nodes failed again and again.
    went_quiet,       ///< Nobody asked for it or said that it ended: whoever did is gone.
};
/// Never got a way.
struct RequestRefused {
    RequestId request;
    Denial why = Denial::not_servable;
    std::string reason;
};
/// Had one and lost it.
struct RequestFailed {
    RequestId request;
    Denial why = Denial::not_servable;
    std::string reason;
};

/// Why layers are shared out anew.
enum class Plan : std::uint8_t {
    placed,   ///< All nodes, by the allocation strategy.
    mended,   ///< One node takes what another left, or several that stood by.
    filled,   ///< Standby nodes take the layers that most limit what gets through.
    shifted,  ///< One serving node takes such layers instead of others.
};
struct Rebalanced {
    Plan plan = Plan::placed;
    std::uint32_t nodes = 0;  ///< That load something.
    std::uint64_t bytes = 0;  ///< That they load.
    std::int64_t gain = 0;    ///< Millionths of load taken away; 0 where nothing was served before.
};
/// Send a Tick at this instant. The latest one counts.
struct WakeAt {
    Instant at;
};

using CrewEffect = std::variant<LoadLayers, NodeRefused, NodeLost, NodeUnknown, RouteGiven, RequestParked,
                                RequestRerouted, RequestRefused, RequestFailed, Rebalanced, WakeAt>;

}  // namespace sy::pipeline
