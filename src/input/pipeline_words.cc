#include "input/pipeline_words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "core/estimate/layer.h"
#include "core/pipeline/strategy.h"
#include "input/amounts.h"
#include "input/mesh_model.h"
#include "input/mesh_parts.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestAddress = 256;
constexpr std::uint64_t kMostWaiting = 10'000'000;
constexpr double kMillion = 1e6;

/// What stands in an address needs no escapes there.
std::string name_of(const Node& value) {
    const std::string& name = text_of(value, "name");
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    if (!name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), fits)) return name;
    throw Refused{value.mark, fmt::format("name is {}", shown(value)),
                  fmt::format("use 1 to {} letters, digits, dots, dashes and underscores", kLongestName)};
}

/// In whatever form an engine's clients understand; one line of printable characters.
std::string address_of(const Node& value) {
    const std::string& address = text_of(value, "address");
    const auto is_printable = [](char c) { return c > ' ' && c <= '~'; };
    if (!address.empty() && address.size() <= kLongestAddress &&
        std::all_of(address.begin(), address.end(), is_printable))
        return address;
    throw Refused{value.mark, fmt::format("address is {}", shown(value)),
                  fmt::format("use 1 to {} printable characters without spaces, such as host:port", kLongestAddress)};
}

pipeline::Objective objective_of(const Node& value, const std::string& what) {
    if (const auto objective = pipeline::objective_named(text_of(value, what))) return *objective;
    throw Refused{value.mark, fmt::format("{} is {}", what, shown(value)), "one of: latency, throughput, served"};
}

pipeline::CrewSettings read_scheduling(const Node& node) {
    const Map map(node, "scheduling",
                  {"allocation_strategy", "objective", "routing_strategy", "rebalance_threshold", "heartbeat_timeout_s",
                   "request_arrival_horizon_s", "gather_s", "rest_s", "drain_s", "load_timeout_s", "patience_s",
                   "request_timeout_s", "suspicion_s", "most_waiting"});
    pipeline::CrewSettings settings;
    const auto text = [&](std::string_view key, std::string& target) {
        if (const Node* value = given(map, key)) target = text_of(*value, map.of(key));
    };
    const auto time = [&](std::string_view key, Duration& target) {
        if (const Node* value = given(map, key)) target = seconds_of(*value, map.of(key), Duration(1));
    };
    text("allocation_strategy", settings.allocation_strategy);
    if (const Node* value = given(map, "objective")) settings.objective = objective_of(*value, map.of("objective"));
    text("routing_strategy", settings.routing_strategy);
    if (const Node* value = given(map, "rebalance_threshold"))
        settings.rebalance_threshold = static_cast<std::uint32_t>(std::llround(
            real_of(*value, map.of("rebalance_threshold"), {.least = 0, .most = 1, .above_least = true}) * kMillion));
    time("heartbeat_timeout_s", settings.heartbeat_timeout);
    time("request_arrival_horizon_s", settings.request_arrival_horizon);
    time("gather_s", settings.gather);
    time("rest_s", settings.rest);
    time("drain_s", settings.drain_for);
    time("load_timeout_s", settings.load_timeout);
    time("patience_s", settings.patience);
    time("request_timeout_s", settings.request_timeout);
    time("suspicion_s", settings.suspicion);
    if (const Node* value = given(map, "most_waiting"))
        settings.most_waiting = whole_of(*value, map.of("most_waiting"), 0, kMostWaiting);
    return settings;
}

std::string end_of_link(const Node& value) {
    const std::string& id = text_of(value, "an end of this link");
    return stands_for_client(id) ? "" : id;
}

std::vector<pipeline::MeasuredLink> read_links(const Node& list, const Mesh& ground) {
    expect(list, Kind::list, "links");
    std::vector<pipeline::MeasuredLink> links;
    for (const Node& entry : list.items) {
        const Map map(entry, "this link", {"from", "to", "rtt_ms", "gb_per_s", "tokens_per_s"});
        pipeline::MeasuredLink link{end_of_link(map.require("from")), end_of_link(map.require("to")), {}};
        if (link.from == link.to) throw Refused{entry.mark, "this link joins somebody to itself", "leave it out"};
        const bool with_client = link.from.empty() || link.to.empty();
        link.costs =
            read_link_costs(map, with_client ? ground.client_link.value_or(ground.default_link) : ground.default_link);
        links.push_back(std::move(link));
    }
    return links;
}

pipeline::Range read_holds(const Node& value, const Mesh& ground) {
    expect(value, Kind::list, "holds");
    if (value.items.size() != 2)
        throw Refused{value.mark, "holds must be the first layer and the one after the last", "write [first, end]"};
    const std::uint64_t first = whole_of(value.items[0], "the first layer of holds", 0, ground.model.layers);
    const std::uint64_t end = whole_of(value.items[1], "the end of holds", first, ground.model.layers);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)};
}

template <class Read>
auto caught(const Document& document, Read read) -> Result<decltype(read())> {
    try {
        return read();
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace

Result<PipelineOrder> parse_pipeline(const Document& document) {
    return caught(document, [&] {
        const Map map(document.root, "the pipeline",
                      {"name", "model", "settings", "default_link", "client_link", "scheduling"});
        PipelineOrder order{name_of(map.require("name")), read_mesh_ground(map), {}};
        if (const Node* scheduling = given(map, "scheduling")) order.settings = read_scheduling(*scheduling);
        return order;
    });
}

Result<JoiningNode> parse_joining_node(const Document& document, const Mesh& ground) {
    return caught(document, [&] {
        const Map map(document.root, "what a joining node says", {"node", "address", "links", "holds"});
        const Node& node = map.require("node");
        JoiningNode said{{read_mesh_node(node, ground.model, node.mark), {}, {}}, {}};
        if (const Node* address = given(map, "address")) said.address = address_of(*address);
        if (const Node* links = given(map, "links")) said.joined.links = read_links(*links, ground);
        if (const Node* holds = given(map, "holds")) said.joined.holds = read_holds(*holds, ground);
        return said;
    });
}

Result<std::vector<pipeline::MeasuredLink>> parse_measured_links(const Document& document, const Mesh& ground) {
    return caught(document, [&] {
        const Map map(document.root, "what was measured", {"links"});
        return read_links(map.require("links"), ground);
    });
}

}  // namespace sy::input
