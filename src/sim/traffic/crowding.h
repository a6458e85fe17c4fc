// Crowding: how much longer a token takes because of all the others on the same nodes and links.
//
// A node works in steps. A step takes the node's time for the layers asked of it and carries up to a batch of tokens;
// it also carries one waiting prompt, and then lasts as long as that prompt. From this, without looking at steps:
//
// - Prompts stand in line at each node, one after the other, each for its own time.
// - A token waits for the rest of the prompt it meets. How much that is in the mean follows from the node's last
//   kWindow prompts (Pollaczek and Khinchine's mean residual time); a node that has seen fewer delays nobody.
// - A prompt waits for half of the step it meets. Tokens that meet a step go on behind it round after round, so they
//   wait at the slowest node of their way only, for what makes a round a whole number of its steps.
// - Every request under way demands tokens at the pace its way would allow were it alone. Where the demands on a node
//   or a link exceed what it passes, all who go through are slowed in that proportion, each by the worst place on its
//   way.
//
// So no node or link ever passes more than it can. Where ways share nodes, one slowed elsewhere still counts in full
// here: what it leaves free nobody takes, and crowded meshes look slower than they are. Prompts take up no room on
// links. How far this is from a twin that takes every token through every step was measured in cases that nothing was
// adjusted on: mean latencies 5 % off in the middle, 24 % in nineteen of twenty; docs/layers.md has the rest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/wide.h"
#include "core/pipeline/placement.h"

namespace sy::sim {

/// What one token takes on its way, were it alone.
struct Way {
    struct Use {
        std::uint32_t place = 0;  ///< Of a node or a link.
        Duration per_token{};     ///< Of that place's time, its share of a step or a transfer.
    };
    std::vector<Use> uses;  ///< Nodes first, in order, then links that have a limit.
    std::uint32_t nodes = 0;
    Duration alone{};           ///< All steps and hops.
    Duration hops{};            ///< The hops of it.
    std::uint32_t slowest = 0;  ///< The node whose step takes longest.
    Duration slowest_step{};
};

class Crowding {
public:
    static constexpr std::size_t kWindow = 16;

    explicit Crowding(const pipeline::Costs& costs);

    Way way(const pipeline::Pipeline& stages);
    /// A prompt comes to the node and stands in line; when it is through. `step`: what a step without it takes there.
    Instant run_prompt(pipeline::NodeIndex node, Instant now, Duration takes, Duration step);
    /// The node forgets what stands in line; how much of that it had not done.
    Duration clear_line(pipeline::NodeIndex node, Instant now);

    /// Of a token that nowhere meets more others than go in one step; the pace to demand is its inverse.
    Duration unhindered(const Way& way, Instant now) const;
    /// Of a token, for one who demands that pace as well and has said so.
    Duration token_time(const Way& way, Duration unhindered, Instant now) const;
    void demand(const Way& way, pipeline::Rate pace) { add(way, pace, 1); }
    void release(const Way& way, pipeline::Rate pace) { add(way, pace, -1); }
    /// Nobody demands anything.
    bool is_idle() const;

private:
    struct Prompt {
        Instant at;
        Duration takes{};
        Duration longer{};  ///< Than a step without it.
    };
    struct Place {
        std::int64_t demanded = 0;  ///< Billionths of its time.
        pipeline::Rate paces = 0;   ///< Of all who demand something.
        Instant line_ends = kStart;
        std::array<Prompt, kWindow> prompts{};
        std::size_t seen = 0;
        Wide products = 0;  ///< Of takes and longer.
        std::int64_t takes = 0;
        std::int64_t longer = 0;

        /// How often a step of that length is running, in billionths of the time.
        std::int64_t stepping(Duration step) const;
        Duration window(Instant now) const;
        Duration mean_wait(Instant now) const;
        /// For tokens, in billionths of its time.
        std::int64_t available(Instant now) const;
    };

    void add(const Way& way, pipeline::Rate pace, int sign);
    std::uint32_t link(pipeline::NodeIndex from, pipeline::NodeIndex to);

    const pipeline::Costs& costs_;
    std::vector<Place> places_;  ///< Nodes, then links as they come up.
    std::map<std::pair<pipeline::NodeIndex, pipeline::NodeIndex>, std::uint32_t> links_;
};

/// Time that `tokens` take beyond what a step's hop already counts, one batch.
Duration prompt_hop(const pipeline::Costs& costs, pipeline::NodeIndex from, pipeline::NodeIndex to,
                    std::uint32_t tokens);

/// Tokens a second of somebody who needs so long for each.
pipeline::Rate pace_at(Duration token_time);

}  // namespace sy::sim
