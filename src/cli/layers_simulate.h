// `switchyard layers --simulate`: requests over the division that was found, under one routing or several side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "core/model/mesh.h"
#include "core/pipeline/division.h"

namespace sy::cli {

struct TrafficWishes {
    std::uint64_t requests = 0;  ///< 0: nothing is simulated.
    double rate = 0;             ///< Requests a second; 0: three fifths of what gets through when flooded.
    std::string routing = "dp";  ///< Names with commas between.
    double prompt = 512;
    double answer = 128;
    double high = 0;        ///< Share of requests at high priority.
    double fail_every = 0;  ///< Seconds; 0: no node fails.
    std::string scene;      ///< A file; empty: nodes and rate stay as they are.
    std::uint64_t seed = 1;

    friend bool operator==(const TrafficWishes&, const TrafficWishes&) = default;
};

/// They write into `wishes`, which must outlive them.
std::vector<Option> traffic_options(TrafficWishes& wishes);

/// Wrong usage where a wish makes no sense, or is one though nothing is simulated.
std::optional<Error> find_fault(const TrafficWishes& wishes);

/// Requests a second: as wished, or three fifths of what gets through when more come than can.
double rate_of(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
               const TrafficWishes& wishes);
/// The routings wished for, in order.
std::vector<std::string> routings_of(const TrafficWishes& wishes);
/// Of a token between two nodes; activations stay at 16 bits where weights have fewer.
std::uint64_t activation_bytes(const ModelShape& model);

/// A table for the eye, or one JSON document.
Result<std::string> simulate_layers(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                                    const TrafficWishes& wishes, bool json);

}  // namespace sy::cli
