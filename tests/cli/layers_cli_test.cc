// Meshes as users meet them: what is valid, what is refused and how.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

struct BadMesh {
    const char* what;
    const char* text;
    const char* complaint;
};

TEST_F(Cli, TheExampleMeshIsValid) {
    const Outcome result = run("validate '" SWITCHYARD_SOURCE_DIR "/examples/mesh.json'");
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.out, "valid mesh: 80 layers, 6 nodes, 20 links\n");
}

TEST_F(Cli, ABadMeshIsRefusedWithItsPlaceAndAFix) {
    const std::vector<BadMesh> table{
        {"no layers", R"({"model": {"layers": 0}, "nodes": [{"id": "a", "tokens_per_s": [1]}]})",
         "m.json:1:22: layers"},
        {"no nodes", R"({"model": {"layers": 4}, "nodes": []})", "m.json:1:35: the mesh has no nodes"},
        {"the same id twice",
         R"({"model": {"layers": 4}, "nodes": [{"id": "a", "tokens_per_s": [1]}, {"id": "a", "tokens_per_s": [1]}]})",
         "m.json:1:77: two nodes are called 'a'"},
        {"a link to nobody",
         R"({"model": {"layers": 4}, "nodes": [{"id": "a", "tokens_per_s": [1]}], "links": [{"from": "a", "to": "b"}]})",
         "there is no such node"},
        {"no bandwidth", R"({"model": {"layers": 4}, "nodes": [{"id": "a", "bandwidth_gb_s": 0}]})",
         "it must be a number above 0"},
        {"no memory", R"({"model": {"layers": 4}, "nodes": [{"id": "a", "tflops": 9, "bandwidth_gb_s": 9}]})",
         "neither tokens_per_s nor all of tflops, memory_gib and bandwidth_gb_s"},
        {"an unknown key", R"({"model": {"layers": 4}, "nodes": [{"id": "a", "speed": 9}]})", "unknown key 'speed'"},
    };
    for (const BadMesh& bad : table) {
        file("m.json", bad.text);
        for (const char* command : {"validate m.json", "layers m.json", "layers m.json --json"}) {
            const Outcome result = run(command);
            EXPECT_EQ(result.exit, 3) << bad.what;
            EXPECT_EQ(result.out, "") << bad.what;
            EXPECT_NE(result.err.find(bad.complaint), std::string::npos) << bad.what << "\n" << result.err;
            EXPECT_NE(result.err.find("fix: "), std::string::npos) << bad.what;
        }
    }
}

TEST_F(Cli, LayersThatFitNowhereAreSaidToBeShortOfWhatIsMissing) {
    struct Short {
        const char* nodes;
        const char* settings;
        const char* complaint;
        const char* fix;
    };
    const std::vector<Short> table{
        {R"({"id": "a", "tflops": 100, "memory_gib": 16, "bandwidth_gb_s": 900})", "{}", "not servable, short of ",
         "fix: add nodes or memory"},
        {R"({"id": "a", "tflops": 100, "memory_gib": 8000, "bandwidth_gb_s": 900, "max_layers": 40})", "{}",
         "not servable, short of 40 layers: by max_layers", "fix: raise max_layers"},
        {R"({"id": "a", "tflops": 100, "memory_gib": 8000, "bandwidth_gb_s": 900})", R"({"kv_ratio": 0})",
         "keys and values of a single request", "fix: raise kv_ratio"},
        {R"({"id": "a", "tokens_per_s": [9, 8, 7]})", "{}", "how many tokens_per_s were measured",
         "fix: raise max_layers"},
    };
    for (const Short& each : table) {
        file("m.json", fmt::format(R"({{"model": {{"layers": 80, "hidden": 8192, "intermediate": 28672, "heads": 64}},
                                       "nodes": [{}], "settings": {}}})",
                                   each.nodes, each.settings));
        for (const char* command : {"layers m.json", "layers m.json --json", "layers m.json --strategy search"}) {
            const Outcome result = run(command);
            EXPECT_EQ(result.exit, 6) << each.nodes << result.err;
            EXPECT_EQ(result.out, "");
            EXPECT_NE(result.err.find(each.complaint), std::string::npos) << result.err;
            EXPECT_NE(result.err.find(each.fix), std::string::npos) << result.err;
        }
    }
}

TEST_F(Cli, AHundredThousandNodesAreDivided) {
    std::string nodes;
    for (int n = 0; n < 100'000; ++n)
        nodes +=
            fmt::format(R"({}{{"id": "n{}", "tokens_per_s": [{}, {}]}})", n == 0 ? "" : ",", n, 9 + n % 4, 5 + n % 3);
    std::string links;
    for (int n = 0; n < 20; ++n)
        links +=
            fmt::format(R"({}{{"from": "n{}", "to": "n{}", "rtt_ms": {}}})", n == 0 ? "" : ",", n, 5'000 * n + 7, n);
    file("m.json", fmt::format(R"({{"model": {{"layers": 8}}, "nodes": [{}], "links": [{}]}})", nodes, links));
    for (const char* strategy : {"greedy", "dp", "search"}) {
        const Outcome result = run(fmt::format("layers m.json --json --strategy {}", strategy));
        ASSERT_EQ(result.exit, 0) << result.err;
        const auto told = nlohmann::json::parse(result.out);
        EXPECT_GT(told["tokens_per_s"].get<double>(), 0.8 * told["upper_bound_tokens_per_s"].get<double>()) << strategy;
    }
}

/// Keys of the document, and of what is in it, that the schema has no word for.
void expect_described(const nlohmann::json& document, const nlohmann::json& rule, const nlohmann::json& schema) {
    const auto& here = rule.contains("$ref") ? schema["$defs"][rule["$ref"].get<std::string>().substr(8)] : rule;
    if (document.is_array())
        for (const auto& item : document) expect_described(item, here.at("items"), schema);
    if (!document.is_object()) return;
    for (const auto& [key, value] : document.items()) {
        ASSERT_TRUE(here.at("properties").contains(key)) << key;
        expect_described(value, here["properties"][key], schema);
    }
    for (const auto& key : here.at("required")) EXPECT_TRUE(document.contains(key)) << key;
}

TEST_F(Cli, TheSchemaOfADivisionDescribesAllThatIsPrinted) {
    const auto schema = nlohmann::json::parse(contents(SWITCHYARD_SOURCE_DIR "/docs/schema/division.schema.json"));
    for (const char* objective : {"latency", "throughput", "served"}) {
        const Outcome result =
            run(fmt::format("layers '" SWITCHYARD_SOURCE_DIR "/examples/mesh.json' --json --objective {}", objective));
        ASSERT_EQ(result.exit, 0) << result.err;
        expect_described(nlohmann::json::parse(result.out), schema, schema);
    }
}

TEST_F(Cli, TheMeshSchemaNamesTheKeysThatAreRead) {
    const auto schema = nlohmann::json::parse(contents(SWITCHYARD_SOURCE_DIR "/docs/schema/mesh.schema.json"));
    const auto& top = schema.at("properties");
    const auto names_every_key = [&](const nlohmann::json& properties, const std::string& text) {
        file("m.yaml", text);
        const std::string err = run("validate m.yaml").err;
        for (const auto& [key, rule] : properties.items()) EXPECT_NE(err.find(key), std::string::npos) << key << err;
    };
    names_every_key(top, "{model: {layers: 4}, nodes: [], zzzzzzzzzzzz: 1}");
    names_every_key(top.at("model").at("properties"), "{model: {zzzzzzzzzzzz: 1}, nodes: []}");
    names_every_key(top.at("nodes").at("items").at("properties"), "{model: {layers: 4}, nodes: [{zzzzzzzzzzzz: 1}]}");
    names_every_key(top.at("settings").at("properties"),
                    "{model: {layers: 4}, nodes: [], settings: {zzzzzzzzzzzz: 1}}");
    names_every_key(top.at("links").at("items").at("properties"),
                    "{model: {layers: 4}, nodes: [{id: a, tokens_per_s: [1]}], links: [{zzzzzzzzzzzz: 1}]}");
}

}  // namespace
}  // namespace sy::cli
