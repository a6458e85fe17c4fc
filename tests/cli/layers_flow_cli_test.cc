// What `layers` prints of a flow, counted again from the mesh and the placement alone: nothing here shares code with
// what found it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

using nlohmann::json;

/// Two kinds of nodes in two places: near links are quick, far ones slow enough to bind.
json drawn_mesh(unsigned seed, unsigned nodes) {
    unsigned state = seed;
    const auto below = [&state](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
    json mesh{{"model", {{"layers", 12}}}, {"nodes", json::array()}, {"links", json::array()}};
    for (unsigned n = 0; n < nodes; ++n) {
        json rates = json::array();
        for (unsigned l = 1; l <= 3 + below(6); ++l) rates.push_back(1000.0 * (1 + below(4)) / l);
        mesh["nodes"].push_back({{"id", "n" + std::to_string(n)}, {"tokens_per_s", rates}});
    }
    for (unsigned a = 0; a < nodes; ++a)
        for (unsigned b = 0; b < nodes; ++b)
            if (a != b && below(3) > 0)
                mesh["links"].push_back({{"from", "n" + std::to_string(a)},
                                         {"to", "n" + std::to_string(b)},
                                         {"tokens_per_s", a % 2 == b % 2 ? 900 : 40 + below(200)}});
    mesh["default_link"] = {{"tokens_per_s", 100}};
    return mesh;
}

using Ends = std::pair<std::string, std::string>;

/// Capacities between nodes' entrances and exits.
std::map<Ends, double> capacities(const json& mesh, const json& placement) {
    std::map<Ends, double> links;
    for (const json& link : mesh["links"]) links[{link["from"], link["to"]}] = link["tokens_per_s"];
    std::map<std::string, json> rates;
    for (const json& node : mesh["nodes"]) rates[node["id"]] = node["tokens_per_s"];
    const int layers = mesh["model"]["layers"];
    std::map<Ends, double> all;
    for (const json& hold : placement) {
        const std::string id = hold["id"];
        const int first = hold["first"];
        const int end = hold["end"];
        all[{id + ">", id + "<"}] = rates[id].at(static_cast<std::size_t>(end - first - 1));
        if (first == 0) all[{"source", id + ">"}] = 1e12;
        if (end == layers) all[{id + "<", "sink"}] = 1e12;
        for (const json& next : placement)
            if (next["first"] <= end && end < next["end"]) {
                const auto known = links.find({id, next["id"]});
                all[{id + "<", next["id"].get<std::string>() + ">"}] = known == links.end() ? 100 : known->second;
            }
    }
    return all;
}

/// Ford and Fulkerson, one way after the other.
double greatest_flow(std::map<Ends, double> left) {
    const std::map<Ends, double> graph = left;
    std::set<std::string> vertices;
    for (const auto& [ends, rate] : graph) {
        left.try_emplace({ends.second, ends.first}, 0);
        vertices.insert({ends.first, ends.second});
    }
    for (double sent = 0;;) {
        std::map<std::string, std::string> from{{"source", ""}};
        std::vector<std::string> queue{"source"};
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const std::string here = queue[at];
            for (const std::string& next : vertices)
                if (const auto edge = left.find({here, next}); edge != left.end() && edge->second > 1e-9)
                    if (from.try_emplace(next, here).second) queue.push_back(next);
        }
        if (!from.contains("sink")) return sent;
        double most = 1e12;
        for (std::string v = "sink"; v != "source"; v = from[v]) most = std::min(most, left[{from[v], v}]);
        for (std::string v = "sink"; v != "source"; v = from[v]) {
            left[{from[v], v}] -= most;
            left[{v, from[v]}] += most;
        }
        sent += most;
    }
}

TEST_F(Cli, TheFlowThatLayersPrintsIsTheGreatestThroughItsPlacement) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        const json mesh = drawn_mesh(seed, 5 + seed % 4);
        file("m.json", mesh.dump());
        const Outcome result = run("layers m.json --strategy search --json");
        ASSERT_EQ(result.exit, 0) << result.err;
        const json told = json::parse(result.out);
        const double rate = told["tokens_per_s"];
        const auto capacity = capacities(mesh, told["placement"]);
        EXPECT_NEAR(greatest_flow(capacity), rate, 0.01);
        EXPECT_GE(told["upper_bound_tokens_per_s"].get<double>(), rate);
        std::map<std::string, double> balance;
        for (const json& edge : told["flow"]) {
            const std::string from = edge["from"];
            const std::string to = edge["to"];
            const double part = edge["tokens_per_s"];
            const auto known = capacity.find({from == "source" ? from : from + "<", to == "sink" ? to : to + ">"});
            ASSERT_NE(known, capacity.end()) << from << " to " << to;
            EXPECT_LE(part, known->second + 1e-6) << from << " to " << to;
            balance[from] -= part;
            balance[to] += part;
        }
        for (const auto& [node, left] : balance)
            EXPECT_NEAR(left, node == "source" ? -rate : node == "sink" ? rate : 0, 0.01) << node;
        ASSERT_FALSE(told["front"].empty());
        EXPECT_GE(told["front"].back()["tokens_per_s"].get<double>(), rate - 0.01);
    }
}

}  // namespace
}  // namespace sy::cli
