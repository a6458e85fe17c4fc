#include "input/service_config.h"

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sy::input {
namespace {

ConfigSources file_of(const std::string& text) {
    return {.file = *parse_document(text, "yard.yaml"), .environment = {}, .flags = {}};
}

std::string refusal(const ConfigSources& sources) {
    const auto config = resolve_config(sources);
    return config ? "taken" : config.error().message;
}

std::string project_file(const std::string& name) {
    std::ifstream file(std::string(SWITCHYARD_SOURCE_DIR "/") + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ServiceConfig, SaysNothingAndHasItsDefaults) {
    const auto config = resolve_config(file_of(""));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->values, ServiceConfig{});
    EXPECT_EQ(config->values.worker_heartbeat_timeout_seconds, 30U);
    EXPECT_EQ(config->values.max_task_timeout_seconds, 86'400U);
    for (const auto& [key, origin] : config->origins) EXPECT_EQ(origin, "default") << key;
}

TEST(ServiceConfig, AFlagIsStrongerThanTheEnvironmentAndThatThanTheFile) {
    ConfigSources sources = file_of("order: fair\nfit: strict\nplace: best-fit\ngpu_ids: [0, 2]\n");
    sources.environment = {{"SWITCHYARD_ORDER", "fcfs"}, {"SWITCHYARD_FIT", "skip"}, {"SWITCHYARD_LISTEN", ""}};
    sources.flags = {{"order", "priority"}, {"reserved_gpu_ids", "2,3"}};
    const auto config = resolve_config(sources);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->values.order, "priority");
    EXPECT_EQ(config->values.fit, "skip");
    EXPECT_EQ(config->values.place, "best-fit");
    EXPECT_EQ(config->values.gpu_ids, (GpuNumbers{0, 2}));
    EXPECT_EQ(config->values.reserved_gpu_ids, (GpuNumbers{2, 3}));
    EXPECT_EQ(config->origins.at("order"), "flag --order");
    EXPECT_EQ(config->origins.at("fit"), "environment SWITCHYARD_FIT");
    EXPECT_EQ(config->origins.at("place"), "file yard.yaml:3:8");
    EXPECT_EQ(config->origins.at("listen"), "default") << "an empty variable says nothing";
}

TEST(ServiceConfig, AKeyNobodyKnowsIsRefusedWithTheOneThatWasMeant) {
    const auto config = resolve_config(file_of("order: fair\nmax_retry: 3\n"));
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().message, "yard.yaml:2:1: unknown key 'max_retry' in the configuration");
    EXPECT_EQ(config.error().fix, "did you mean max_retries?");
}

TEST(ServiceConfig, AMistypedVariableIsRefusedAndAStrangersIsNot) {
    EXPECT_EQ(refusal({.file = {}, .environment = {{"SWITCHYARD_MAX_RETRY", "3"}}, .flags = {}}),
              "SWITCHYARD_MAX_RETRY in the environment is no setting");
    EXPECT_EQ(refusal({.file = {},
                       .environment = {{"SWITCHYARD_SERVICE_HOST", "10.0.0.1"},
                                       {"SWITCHYARD_PORT_7878_TCP", "tcp://10.0.0.1:7878"},
                                       {"SWITCHYARD_TOKEN_FILE", "mine"},
                                       {"SWITCHYARD_SERVER", "unix:/x"}},
                       .flags = {}}),
              "taken");
}

TEST(ServiceConfig, AValueOutOfItsRangeIsRefusedWhereItStands) {
    EXPECT_EQ(refusal(file_of("poll_interval_ms: 0")),
              "yard.yaml:1:19: poll_interval_ms is '0', it must be a whole number from 1 to 60000");
    EXPECT_EQ(refusal(file_of("allow_commands: yes")),
              "yard.yaml:1:17: allow_commands is 'yes', it must be true or false");
    EXPECT_EQ(refusal(file_of("gpu_ids: [0, 0]")),
              "yard.yaml:1:10: gpu_ids is a list, it must be a list of different GPU numbers such as [0, 1], or all");
    EXPECT_EQ(refusal({.file = {}, .environment = {{"SWITCHYARD_GPUS", "simulated:"}}, .flags = {}}),
              "SWITCHYARD_GPUS is 'simulated:', it must be auto, none, simulated:N, simulated:NxGB or simulated:FILE");
    EXPECT_EQ(refusal({.file = {}, .environment = {}, .flags = {{"listen", "localhost"}}}),
              "--listen is 'localhost', it must be an IPv4 address and a port such as 127.0.0.1:7878, or nothing");
    for (const char* text : {"listen: 1.2.3:80", "listen: 1.2.3.4.5:80", "listen: 256.0.0.1:80", "listen: 127.0.0.1:x",
                             "gpus: real", "gpus: pretended:8", "max_retries: -1", "folder: [a]", "gpu_ids: none",
                             "gpu_ids: [x]", "order: x", "- order"})
        EXPECT_NE(refusal(file_of(text)), "taken") << text;
}

TEST(ServiceConfig, ValuesThatContradictEachOtherAreRefused) {
    EXPECT_EQ(refusal(file_of("worker_heartbeat_interval_seconds: 16")),
              "worker_heartbeat_timeout_seconds is 30 (default), it must be at least 32: twice "
              "worker_heartbeat_interval_seconds");
    EXPECT_EQ(refusal(file_of("stop_grace_seconds: 16")), "taken");
    EXPECT_NE(refusal(file_of("stop_grace_seconds: 17")), "taken") << "no lease is left between two heartbeats";
    EXPECT_EQ(refusal(file_of("max_task_timeout_seconds: 3600")), "taken");
    EXPECT_EQ(refusal(file_of("max_task_timeout_seconds: 3599")),
              "max_task_timeout_seconds is 3599 (file yard.yaml:1:27), it must be at least 3600: "
              "default_task_timeout_seconds");
    EXPECT_NE(refusal(file_of("retry_backoff_seconds: 301")), "taken");
}

TEST(ServiceConfig, WhatIsShownCanBeReadBack) {
    ServiceConfig odd;
    odd.folder = R"(/srv/a "b" \c: # d)";
    odd.gpu_ids = GpuNumbers{3, 1};
    odd.reserved_gpu_ids = GpuNumbers{};
    odd.listen = "127.0.0.1:0";
    odd.allow_commands = false;
    std::string text;
    for (const ConfigKey& key : config_keys()) text += fmt::format("{}: {}\n", key.name, value_text(key, odd));
    const auto config = resolve_config(file_of(text));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->values, odd);
}

TEST(ServiceConfig, TheExampleHoldsEveryKeyAtItsDefault) {
    const auto document = parse_document(project_file("examples/switchyard.yaml"), "example");
    ASSERT_TRUE(document);
    EXPECT_TRUE(looks_like_config(document->root));
    const auto config = resolve_config({.file = *document, .environment = {}, .flags = {}});
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->values, ServiceConfig{});
    for (const auto& [key, origin] : config->origins) EXPECT_TRUE(origin.starts_with("file ")) << key;
}

TEST(ServiceConfig, TheManualHasARowForEveryKey) {
    const std::string manual = project_file("docs/configuration.md");
    for (const ConfigKey& key : config_keys()) {
        const std::string row = fmt::format("| `{}` | `{}` | {} | {}{} |\n", key.name, value_text(key, ServiceConfig{}),
                                            rule_text(key), key.meaning, key.used ? "" : " *(not used yet)*");
        EXPECT_NE(manual.find(row), std::string::npos) << row;
    }
}

const Node* child(const Node& map, std::string_view key) {
    for (std::size_t i = 0; i < map.keys.size(); ++i)
        if (map.keys[i].text == key) return &map.items[i];
    return nullptr;
}

TEST(ServiceConfig, TheSchemaKnowsTheSameKeysDefaultsAndRanges) {
    const auto schema = parse_document(project_file("docs/schema/service.schema.json"), "schema");
    ASSERT_TRUE(schema) << schema.error().message;
    const Node& properties = *child(schema->root, "properties");
    EXPECT_EQ(properties.keys.size(), config_keys().size());
    for (const ConfigKey& key : config_keys()) {
        const Node* property = child(properties, key.name);
        ASSERT_NE(property, nullptr) << key.name;
        EXPECT_EQ(child(*property, "description")->text, key.meaning);
        if (const auto* whole = std::get_if<WholeRule>(&key.rule)) {
            EXPECT_EQ(child(*property, "minimum")->text, std::to_string(whole->least)) << key.name;
            EXPECT_EQ(child(*property, "maximum")->text, std::to_string(whole->most)) << key.name;
            EXPECT_EQ(child(*property, "default")->text, value_text(key, ServiceConfig{})) << key.name;
        }
    }
}

}  // namespace
}  // namespace sy::input
