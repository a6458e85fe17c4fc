// Crew view: a crew as people and other programs are told of it: nodes, layers, pipelines, requests, and why one waits.
//
// Copies with names instead of places, so they stay right when the crew goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/members/crew.h"

namespace sy::pipeline {

struct NamedStage {
    std::string node;
    Range range;

    friend bool operator==(const NamedStage&, const NamedStage&) = default;
};
std::vector<NamedStage> with_names(const Crew& crew, const Pipeline& stages);

enum class NodeState : std::uint8_t {
    standby,
    loading,  ///< And serves nothing meanwhile.
    serving,
    growing,    ///< Serves, and loads more.
    queued,     ///< Serves, and is to hold other layers when others can do without it.
    suspected,  ///< Serves, but was called failed: new requests keep away from it.
    draining,   ///< Takes no further request, and waits for those through it to end.
};
inline constexpr std::array kNodeStates{NodeState::standby, NodeState::loading, NodeState::serving,
                                        NodeState::growing, NodeState::queued,  NodeState::suspected,
                                        NodeState::draining};
std::string_view text(NodeState state);
/// How many nodes do what, in the order of kNodeStates.
std::array<std::size_t, kNodeStates.size()> count_states(const Crew& crew);
/// How full the fullest node is over the mean of all that serve, by the requests they have room for (L14). Nothing
/// where no request is under way.
std::optional<double> balance_of(const Crew& crew);

struct NodeView {
    std::string id;
    NodeState state = NodeState::standby;
    Range held;
    Range wanted;
    std::uint32_t in_flight = 0;
    std::uint32_t most_requests = 0;    ///< At once, with what it holds.
    std::optional<Duration> per_layer;  ///< Of a step, where it serves.
    Instant heard;
    std::optional<Instant> due;  ///< When its draining or loading must have ended.
};
/// Nothing where no node has that id.
std::optional<NodeView> view_of_node(const Crew& crew, std::string_view id);
/// By id.
std::vector<NodeView> view_of_nodes(const Crew& crew);

struct LayerView {
    std::uint32_t holders = 0;
    Capacity capacity;  ///< Of those together.
    Load load = 0;      ///< At the present pressure.
};
/// Of those who serve.
std::vector<LayerView> view_of_layers(const Crew& crew);

struct PipelineView {
    std::vector<NamedStage> stages;
    Duration expected{};  ///< Of one step at the present load.
};
/// As many as there are that share no node, the quickest first.
std::vector<PipelineView> view_of_pipelines(const Crew& crew);

struct RequestView {
    RequestId request;
    Level level = Level::normal;
    std::vector<NamedStage> stages;  ///< Its way; empty where it waits.
    bool had_way = false;
    std::uint32_t reroutes = 0;
    // Where it waits:
    std::size_t place = 0;         ///< In line, from 1 on.
    std::optional<Instant> until;  ///< It is refused.
    std::string why;
};
/// Nothing where no such request is under way or waits. O(requests that wait).
std::optional<RequestView> view_of_request(const Crew& crew, RequestId request);
/// Why whoever asks now does not get a way at once; empty where it would.
std::string why_waiting(const Crew& crew);

struct CrewView {
    std::size_t nodes = 0;
    std::size_t running = 0;
    std::size_t waiting = 0;
    bool servable = false;
    std::string why_not;  ///< Servable, or nobody gets a way: see why_waiting.
    Rate served = 0;
    Rate forecast = 0;
    Load load = 0;
    std::optional<Instant> rests_until;  ///< Nothing is rebalanced before.
};
CrewView view_of(const Crew& crew);

}  // namespace sy::pipeline
