// Meshes as users meet them: what is valid, what is refused and how.
#include <string>
#include <vector>

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
