#include "input/model_file.h"

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Result<ModelFile> read(const std::string& text) {
    return parse_models(*parse_document(text, "models.yaml"));
}

std::string refusal(const std::string& text) {
    const auto file = read(text);
    return file ? "" : file.error().message;
}

TEST(ModelFile, AModelNeedsOnlyACommand) {
    const auto file = read("models: {bge: {command: [python3, bge.py]}}");
    ASSERT_TRUE(file) << file.error().message;
    const ModelEntry& model = file->models.at("bge");
    EXPECT_EQ(model.command, (std::vector<std::string>{"python3", "bge.py"}));
    EXPECT_EQ(model.memory, Bytes(4'000'000'000));
    EXPECT_EQ(model.folder, "/");
}

TEST(ModelFile, EverythingThatCanBeSaid) {
    const auto file = read(
        "models:\n"
        "  llama: {command: [./run], folder: /srv, env: {A: b}, memory_mb: 16000, prewarm: 2, pinned: true}\n"
        "size_terms: {atoms: 2}\n"
        "task_types: {stability: 1.5}\n");
    ASSERT_TRUE(file) << file.error().message;
    const ModelEntry& model = file->models.at("llama");
    EXPECT_EQ(model.memory, gigabytes(16));
    EXPECT_EQ(model.prewarm, 2U);
    EXPECT_TRUE(model.pinned);
    EXPECT_EQ(model.environment.front(), (std::pair<std::string, std::string>("A", "b")));
    EXPECT_EQ(file->size_terms.at("atoms"), 2);
    EXPECT_EQ(file->task_types.at("stability"), 1.5);
}

TEST(ModelFile, AModelMayHaveAServerInstead) {
    const auto file = read(
        "most_sleeping: 2\n"
        "models:\n"
        "  plain: {server: [llama-server, --port, '${PORT}']}\n"
        "  deep:\n"
        "    server: [vllm, serve]\n"
        "    env: {VLLM_PORT: '${PORT}'}\n"
        "    served_name: org/deep\n"
        "    health: none\n"
        "    start_timeout_s: 900\n"
        "    address: 127.0.0.2\n"
        "    sleep: {path: '/sleep?level=1', wake: /wake_up, keeps_mb: 1500}\n"
        "    when_unused: offload\n"
        "    aliases: [gpt-4o, gpt-4]\n"
        "  fixed: {server: [x], port: 8080, when_unused: keep, unlisted: true}\n");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->most_sleeping, 2U);
    EXPECT_EQ(file->models.at("plain").server->health, "/health");
    EXPECT_EQ(file->models.at("plain").server->start_timeout_s, 300);
    const ModelEntry& deep = file->models.at("deep");
    EXPECT_EQ(deep.server->served_name, "org/deep");
    EXPECT_EQ(deep.server->health, "");
    EXPECT_EQ(deep.server->address, "127.0.0.2");
    EXPECT_EQ(deep.server->sleep, "/sleep?level=1");
    EXPECT_EQ(deep.server->wake, "/wake_up");
    EXPECT_EQ(deep.server->asleep_memory, Bytes(1'500'000'000));
    EXPECT_EQ(deep.when_unused, WhenUnused::offload);
    EXPECT_EQ(deep.aliases, (std::vector<std::string>{"gpt-4o", "gpt-4"}));
    EXPECT_EQ(file->models.at("fixed").server->port, 8080);
    EXPECT_TRUE(file->models.at("fixed").pinned) << "to keep it is to pin it";
    EXPECT_TRUE(file->models.at("fixed").unlisted);
}

TEST(ModelFile, MistakesWithServersAreNamedToo) {
    EXPECT_EQ(refusal("models: {a: {server: [x]}}"), "models.yaml:1:13: server of model a is not told its port");
    EXPECT_EQ(refusal("models: {a: {server: [x, '${PORT}'], command: [y]}}"),
              "models.yaml:1:47: model a has both a command and a server");
    EXPECT_EQ(refusal("models: {a: {command: [x], health: /x}}"),
              "models.yaml:1:36: health of model a is for a model that has a server");
    EXPECT_EQ(refusal("models: {a: {server: [x, '${PORT}'], health: x}}"),
              "models.yaml:1:46: health of model a is 'x', it must be a path from /");
    EXPECT_EQ(refusal("models: {a: {server: [x, '${PORT}'], address: example.com}}"),
              "models.yaml:1:47: address of model a is 'example.com', it must be an IPv4 address");
    EXPECT_EQ(refusal("models: {a: {command: [x], when_unused: offload}}"),
              "models.yaml:1:41: when_unused of model a is offload, and it cannot sleep");
    EXPECT_EQ(refusal("models: {a: {command: [x], when_unused: never}}"),
              "models.yaml:1:41: when_unused of model a is 'never', it must be unload, offload or keep");
    EXPECT_EQ(refusal("models: {a: {command: [x], aliases: [c]}, b: {command: [x], aliases: [c]}}"),
              "models.yaml: alias 'c' of model b is also one of model a");
    EXPECT_NE(refusal("models: {a: {server: [x, '${PORT}'], sleep: {path: /x}}}"), "");
    EXPECT_NE(refusal("models: {a: {server: [x, '${PORT}'], start_timeout_s: 0}}"), "");
    EXPECT_NE(refusal("models: {a: {server: [x], port: 70000}}"), "");
    EXPECT_NE(refusal("most_sleeping: 65\nmodels: {}"), "");
}

TEST(ModelFile, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(refusal("model: {}").substr(0, 17), "models.yaml:1:1: ");
    EXPECT_EQ(refusal("models: {a: {comand: [x]}}").substr(0, 18), "models.yaml:1:14: ");
    EXPECT_EQ(refusal("models: {a: {command: []}}"), "models.yaml:1:23: command of model a names no program");
    EXPECT_EQ(refusal("models: {a: {command: [x], folder: here}}"),
              "models.yaml:1:36: folder of model a is 'here', it must begin with /");
    EXPECT_NE(refusal("models: {a: {command: [x], memory_mb: -1}}"), "");
    EXPECT_NE(refusal("models: {a: {command: [x], pinned: perhaps}}"), "");
    EXPECT_NE(refusal("models: {a: {command: x}}"), "");
    EXPECT_NE(refusal("models: {a: {command: [x]}}\ntask_types: {t: 0}"), "");
}

}  // namespace
}  // namespace sy::input
