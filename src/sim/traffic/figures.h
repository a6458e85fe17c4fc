// Figures: what a run of traffic came to (L14).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/task.h"
#include "core/pipeline/costs.h"

namespace sy::sim {

struct Spread {
    Duration mean{};
    Duration p50{};
    Duration p99{};

    friend bool operator==(const Spread&, const Spread&) = default;
};

/// Orders the samples.
Spread spread_of(std::vector<Duration> samples);

struct NodeFigures {
    pipeline::NodeIndex node = 0;
    std::uint64_t requests = 0;  ///< That were sent there.
    double busy = 0;             ///< Of the whole span, the share of its time that prompts and tokens took.
    double in_flight = 0;        ///< Requests on their way through it, in the mean.
    std::uint32_t failures = 0;
};

/// Of the requests of one level.
struct LevelFigures {
    Level level = Level::normal;
    std::uint64_t completed = 0;
    Spread latency;
    Spread wait;
};

struct TrafficFigures {
    std::uint64_t arrived = 0;
    std::uint64_t completed = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    std::uint64_t waited = 0;    ///< Had no way when they came.
    std::uint64_t moved = 0;     ///< Ways given up because a node failed.
    std::uint64_t failures = 0;  ///< Of nodes.

    Duration span{};  ///< From the first arrival to the last end.
    double requests_per_s = 0;
    double tokens_per_s = 0;  ///< Of answers completed.

    Spread latency;      ///< From arrival to the last token.
    Spread first_token;  ///< From arrival.
    Spread wait;         ///< From arrival until a way was found; of all who got one.

    std::vector<LevelFigures> levels;  ///< Those that got a way, the most urgent first.

    std::vector<NodeFigures> nodes;  ///< Those that hold layers.
    double balance = 0;              ///< The busiest of them over their mean.
    double hop_share = 0;            ///< Of the time requests were on their ways, the part spent between nodes.
    std::uint64_t hop_bytes = 0;

    std::uint64_t events = 0;
    std::uint64_t digest = 0;  ///< Of who ended when, and which way it went.
};

}  // namespace sy::sim
