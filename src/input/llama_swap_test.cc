#include "input/llama_swap.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

using Words = std::vector<std::string>;

Result<ModelFile> read(const std::string& text) {
    return parse_models(*parse_document(text, "config.yaml"));
}

std::string refusal(const std::string& text) {
    const auto file = read(text);
    return file ? "" : file.error().message;
}

TEST(LlamaSwap, TheSmallestFileThereIs) {
    const auto file = read("models:\n  model1:\n    cmd: llama-server --port ${PORT} --model /path/to/model.gguf\n");
    ASSERT_TRUE(file) << file.error().message;
    const ModelEntry& model = file->models.at("model1");
    EXPECT_EQ(model.command, (Words{"llama-server", "--port", "${PORT}", "--model", "/path/to/model.gguf"}));
    EXPECT_EQ(model.server->address, "127.0.0.1");
    EXPECT_EQ(model.server->port, 0);
    EXPECT_EQ(model.server->health, "/health");
    EXPECT_EQ(model.server->start_timeout_s, 120);
    EXPECT_EQ(model.memory, kDefaultModelMemory);
    EXPECT_TRUE(file->notes.empty());
}

constexpr const char* kWhole = R"(
healthCheckTimeout: 500
logLevel: info
startPort: 10001
macros:
  "latest-llama": >
    /opt/llama-server
    --port ${PORT}
  "default_ctx": 4096
  "default_args": "--ctx-size ${default_ctx}"
models:
  "gpt-oss-120b":
    macros: {"default_ctx": 16384}
    cmd: |
      # ${no-such} is a comment
      ${latest-llama}
      --model 'path/to/gpt oss.gguf' \
      ${default_args}
      --alias ${MODEL_ID}
    env: ["CUDA_VISIBLE_DEVICES=0,1", "HOME=${env.SWITCHYARD_TEST_HOME}"]
    checkEndpoint: /v1/models
    useModelName: "openai/gpt-oss-120B"
    aliases: ["gpt-4o", {id: "${MODEL_ID}:high", unlisted: true}]
    ttl: 60
    metadata: {switchyard: {memory_mb: 65000}, other: [1]}
  "docker":
    proxy: http://localhost:8999
    cmd: docker run --rm -p 8999:8080 image
    checkEndpoint: none
    unlisted: true
    cmdStop: docker stop x
    ttl: 5
groups: {g: {swap: false, exclusive: true, members: [docker]}}
hooks: {on_startup: {preload: [docker]}}
)";

TEST(LlamaSwap, WhatItSaysOfAModelIsKept) {
    ::setenv("SWITCHYARD_TEST_HOME", "/srv/home", 1);
    const auto file = read(kWhole);
    ASSERT_TRUE(file) << file.error().message;
    const ModelEntry& model = file->models.at("gpt-oss-120b");
    EXPECT_EQ(model.command, (Words{"/opt/llama-server", "--port", "${PORT}", "--model", "path/to/gpt oss.gguf",
                                    "--ctx-size", "16384", "--alias", "gpt-oss-120b"}));
    EXPECT_EQ(model.environment[0].second, "0,1");
    EXPECT_EQ(model.environment[1].second, "/srv/home");
    EXPECT_EQ(model.server->health, "/v1/models");
    EXPECT_EQ(model.server->served_name, "openai/gpt-oss-120B");
    EXPECT_EQ(model.server->start_timeout_s, 500);
    EXPECT_EQ(model.aliases, (Words{"gpt-4o", "gpt-oss-120b:high"}));
    EXPECT_EQ(model.memory, gigabytes(65));
    const ModelEntry& docker = file->models.at("docker");
    EXPECT_EQ(docker.server->port, 8999);
    EXPECT_EQ(docker.server->health, "");
    EXPECT_TRUE(docker.unlisted);
    EXPECT_EQ(docker.prewarm, 1U);
}

TEST(LlamaSwap, WhatPlaysNoPartIsSaidOnceForEachKey) {
    ::setenv("SWITCHYARD_TEST_HOME", "/srv/home", 1);
    const auto file = read(kWhole);
    ASSERT_TRUE(file);
    EXPECT_EQ(
        file->notes,
        (Words{"config.yaml: 'logLevel' is ignored: it has no meaning here",
               "config.yaml: 'startPort' is not needed: each worker takes a free port",
               "config.yaml: 'groups' is not needed: memory decides which models are loaded side by side",
               "config.yaml: 'cmdStop' of docker is ignored: the process and all it started are ended; a container is "
               "not, unless it ends with it",
               "config.yaml: 'ttl' of gpt-oss-120b, docker is ignored: model_cache_ttl_seconds of the service counts "
               "for all models"}));
}

TEST(LlamaSwap, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(refusal("models: {a: {cmd: x}}"),
              "config.yaml:1:19: cmd of model a does not use ${PORT}, and proxy names no port");
    EXPECT_EQ(refusal("models: {a: {cmd: \"x ${PORT} ${who}\"}}"),
              "config.yaml:1:19: cmd of model a names the macro 'who', which there is none of");
    EXPECT_EQ(refusal("models: {a: {cmd: \"x ${PORT} 'y\"}}"),
              "config.yaml:1:19: cmd of model a: a quote is never closed");
    EXPECT_EQ(refusal("models: {a: {cmd: \"x ${PORT} ${env.SWITCHYARD_NEVER_SET}\"}}"),
              "config.yaml:1:19: the environment variable SWITCHYARD_NEVER_SET is not set");
    EXPECT_EQ(refusal("models: {a: {cmd: x, proxy: \"https://example.com\"}}"),
              "config.yaml:1:29: proxy is 'https://example.com', it must be http://ADDRESS:PORT of this machine");
    EXPECT_EQ(refusal("models: {a: {cmd: \"x ${PORT}\"}, b: {proxy: x}}"), "config.yaml:1:36: model b has no cmd");
    EXPECT_EQ(refusal("models: {a: {cmd: \"x ${PORT}\", aliases: [b]}, b: {cmd: \"y ${PORT}\"}}"),
              "config.yaml: alias 'b' of model a is also a model");
    EXPECT_NE(refusal("models: {a: {cmd: \"\"}, b: {cmd: \"# ${PORT}\"}}"), "");
    EXPECT_NE(refusal("macros: {PORT: 1}\nmodels: {a: {cmd: \"x ${PORT}\"}}"), "");
    EXPECT_NE(refusal("models: {a: {cmd: \"x ${PORT}\", env: [nothing]}}"), "");
    EXPECT_NE(refusal("models: {a: {cmd: \"x ${PORT}\"}}\nhooks: {on_startup: {preload: [b]}}"), "");
}

TEST(LlamaSwap, MacrosThatNameEachOtherDoNotGrowForEver) {
    std::string text = "macros:\n  m0: \"0123456789\"\n";
    for (int i = 1; i < 40; ++i)
        text +=
            "  m" + std::to_string(i) + ": \"${m" + std::to_string(i - 1) + "}${m" + std::to_string(i - 1) + "}\"\n";
    EXPECT_EQ(refusal(text + "models: {a: {cmd: \"x ${PORT} ${m39}\"}}").find("config.yaml:42:19: with its macros"),
              0U);
}

}  // namespace
}  // namespace sy::input
