// Tally: counts what happens to requests and nodes during a run of traffic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/digest.h"
#include "sim/traffic/crowding.h"
#include "sim/traffic/figures.h"

namespace sy::sim {

class Tally {
public:
    Tally(std::size_t nodes, std::size_t requests);

    void arrived() { ++sums_.arrived; }
    void refused() { ++sums_.refused; }
    void failed(std::uint64_t requests = 1) { sums_.failed += requests; }
    void failed_node(pipeline::NodeIndex node);
    void waits() { ++sums_.waited; }
    /// It got its first way.
    void set_out(Level level, Duration wait) { of(level).waits.push_back(wait); }
    void sent_along(const pipeline::Pipeline& stages);
    void first_token(Duration since_arrival) { first_tokens_.push_back(since_arrival); }
    void prompt_ran(pipeline::NodeIndex node, Duration takes) { nodes_[node].worked += takes; }
    void prompt_dropped(pipeline::NodeIndex node, Duration left) { nodes_[node].worked -= left; }
    /// Between nodes or to and from the client.
    void moved_prompt(Duration hop, std::uint64_t bytes);
    void passed(const Way& way, std::uint32_t tokens, std::uint64_t bytes_each);
    /// Its way is over, by its end or by a failure.
    void left(const pipeline::Pipeline& stages, Duration on_the_way);
    void moved() { ++sums_.moved; }
    void completed(Level level, std::uint32_t tokens, Duration since_arrival, Instant now);
    /// Who ended when, and which way it went.
    void digest(std::uint32_t request, Instant now, const pipeline::Pipeline& stages);

    /// `holders`: the nodes to report of.
    TrafficFigures figures(const std::vector<pipeline::NodeIndex>& holders, Instant first_arrival,
                           std::uint64_t events) &&;

private:
    struct Node {
        Duration worked{};
        Duration occupied{};  ///< Times of all requests on their ways through it, added up.
        std::uint64_t requests = 0;
        std::uint32_t failures = 0;
    };

    struct Samples {
        std::vector<Duration> latencies;
        std::vector<Duration> waits;
    };
    static constexpr std::size_t kLevels = static_cast<std::size_t>(last_of(Level{})) + 1;
    Samples& of(Level level) { return by_level_[static_cast<std::size_t>(level)]; }
    std::vector<LevelFigures> of_levels() const;
    Samples of_all() const;

    TrafficFigures sums_;
    std::vector<Node> nodes_;
    std::array<Samples, kLevels> by_level_;
    std::vector<Duration> first_tokens_;
    std::uint64_t tokens_ = 0;
    double on_hops_s_ = 0;
    double on_the_way_s_ = 0;
    Instant last_end_ = kStart;
    Digest digest_;
};

}  // namespace sy::sim
