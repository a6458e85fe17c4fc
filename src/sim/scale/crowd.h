// Crowd: server and workers at full size, in virtual time: the real brain, and a real worker's brain for each GPU.
//
// Where the drill looks for what bad weather can break, this looks for what size can: every message arrives, once and
// in order, a little later; some attempts fail, and some workers fall silent and come back. Simulated: time, the lines,
// the processes; there is no journal. What must hold is checked by counting, in tables of our own that know nothing of
// the brains' (books.h). Everything is drawn from the seed, so a run repeats to the byte.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/control/core.h"

namespace sy::sim {

struct CrowdPlan {
    std::uint64_t seed = 1;
    std::uint32_t nodes = 10'000;
    GpuCount node_width = 1;
    std::uint64_t tasks = 1'000'000;
    Duration arriving = 100s;  ///< All of them are handed in within this.
    Duration shortest = 1s;
    Duration longest = 39s;
    double failing = 0.01;     ///< Of the attempts; a task may be tried three times more.
    double dying = 0.01;       ///< Of the workers, once, at some instant; each comes back two minutes later.
    double gangs = 0;          ///< Of the tasks: they take a whole node.
    bool estimated = true;     ///< Whether owners say how long their tasks run.
    std::uint32_t models = 0;  ///< Each task calls one of so many; 0: they are commands.
    control::Settings settings;
    /// Nanoseconds of a clock of the world's, to time steps by; may be empty.
    std::function<std::int64_t()> clock;
};

/// What can be asked of the server, and how often it was.
enum class Asked : std::uint8_t { submit, hello, heartbeat, report, unloaded, tick };
inline constexpr std::size_t kAsked = 6;

/// The steps of one kind of event.
struct Steps {
    std::uint64_t count = 0;
    std::int64_t total_ns = 0;
    std::vector<std::uint32_t> each_ns;  ///< Empty without a clock.
};

struct CrowdReport {
    std::vector<std::string> violations;  ///< At most a hundred.
    std::uint64_t digest = 0;             ///< Of who ended how, and when.
    std::array<Steps, kAsked> steps;
    measure::Tally tally;
    std::uint64_t to_workers = 0;  ///< Messages.
    std::uint64_t longest_line = 0;
    Duration lasted{};

    const Steps& of(Asked what) const { return steps[static_cast<std::size_t>(what)]; }
    std::uint64_t events() const {
        std::uint64_t sum = 0;
        for (const Steps& steps_of_one : steps) sum += steps_of_one.count;
        return sum;
    }
    std::int64_t total_ns() const {
        std::int64_t sum = 0;
        for (const Steps& steps_of_one : steps) sum += steps_of_one.total_ns;
        return sum;
    }
};

CrowdReport run_crowd(const CrowdPlan& plan);

}  // namespace sy::sim
