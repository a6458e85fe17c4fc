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
