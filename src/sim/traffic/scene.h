// Scenes: requests on their ways while nodes come, leave and fall silent and layers are moved (L10, L12, L15).
//
// The membership code of the live service (core/pipeline/members) decides everything, in virtual time: who is to hold
// what, which way a request goes, when one waits, moves or is refused. This world does what it says: nodes load layers
// at a stated pace, requests take their time through nodes and among others (crowding.h), nodes beat, and clients say
// so when a silent node keeps them waiting. None is lost: each request is completed, refused or failed.
//
// The same input gives the same run on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/mesh.h"
#include "core/model/scene.h"
#include "core/pipeline/members/crew.h"
#include "sim/traffic/figures.h"
#include "sim/traffic/requests.h"

namespace sy::sim {

/// Requests of one stretch of time. They count where they came; those that lost their way or did not complete, during
/// the first event they saw.
struct Stretch {
    enum class Part : std::uint8_t { before, during, after };
    std::string what;  ///< The event; empty before the first.
    Part part = Part::before;
    Duration from{};
    Duration until{};
    std::uint64_t requests = 0;
    std::uint64_t completed = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    std::uint64_t moved = 0;  ///< Ways they lost.
    Spread latency;           ///< Of those completed.
};

/// What was decided, in words.
struct SceneNote {
    Duration at{};
    std::string text;
};

struct SceneFigures {
    TrafficFigures all;
    Duration opening{};              ///< Until those that are there at first had loaded; all times count from then on.
    std::vector<Stretch> stretches;  ///< In order: before all, then during and after each event.
    std::vector<Stretch> course;     ///< Equal stretches, requests where they came: for a picture.
    std::vector<SceneNote> notes;
    std::uint64_t bytes_loaded = 0;  ///< After the opening.
    std::size_t events_played = 0;   ///< Of the scene; the others lie after the last request.
};

struct SceneSettings {
    std::string strategy = "auto";
    std::string routing = "dp";
    std::uint64_t activation_bytes = 0;  ///< Of a token between two nodes, for the report.
    /// Looks at the crew after each step; may be empty.
    std::function<void(const pipeline::Crew&)> watch;
};

/// `requests` come in the order of their arrival, `costs` are the mesh's. Infeasible where the nodes that are there at
/// first do not hold the model.
Result<SceneFigures> play_scene(const Mesh& mesh, const pipeline::Costs& costs, const Scene& scene,
                                std::vector<TrafficRequest> requests, const SceneSettings& settings);

/// The same requests at the rates of the scene's events instead of `per_second` throughout.
std::vector<TrafficRequest> at_rates_of(const Scene& scene, std::vector<TrafficRequest> requests, double per_second);

}  // namespace sy::sim
