// Drill: the whole service in a storm, from one seed.
//
// The server's brain with its journal, and a worker's brain for each GPU, exchange messages over a bad network while
// server and workers crash. In phase one the watch looks for broken promises: a GPU held twice, a task run or ended
// twice, an answer lost, a replay that differs. Then the weather clears, and everything must finish. Everything is
// drawn from the seed and time is virtual, so a run repeats to the byte. docs/drill.md lists what is survived and what
// not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/tally.h"
#include "sim/weather.h"

namespace sy::sim {

struct DrillReport {
    std::uint64_t seed = 0;
    Weather weather;
    std::vector<std::string> violations;
    std::uint64_t digest = 0;

    measure::Tally tally;  ///< As the server counted.
    std::size_t submitted = 0;
    std::size_t answered = 0;
    std::size_t events = 0;
    std::size_t server_crashes = 0;
    std::size_t worker_crashes = 0;
    std::size_t messages_lost = 0;
    Duration lasted{};  ///< In virtual time.

    bool passed() const { return violations.empty(); }
};

struct DrillOptions {
    std::uint64_t seed = 1;
    /// Changes the weather that the seed drew.
    std::function<void(Weather&)> adjust;
    /// Called for each line of the story, with virtual time; costs time, changes nothing.
    std::function<void(Instant, const std::string&)> tell;
};

DrillReport run_drill(const DrillOptions& options);

}  // namespace sy::sim
