// Steps with content: requests, commands and inputs, templates in them, and items from JSON lines.
#include "input/batch_content.h"

#include <gtest/gtest.h>

#include "input/batch_file.h"
#include "input/json_lines.h"

namespace sy::input {
namespace {

constexpr const char* kHead = R"(
cluster: {gpus: [{memory_gb: 80}]}
models: {llama: {memory_gb: 16}, bge: {memory_gb: 2}}
)";

Document document_of(const std::string& text) {
    return *parse_document(kHead + text, "batch.yaml");
}

std::string error_of(const Document& document) {
    const auto batch = read_batch(document);
    if (!batch) return batch.error().message;
    const auto content = read_content(document, *batch);
    return content ? "" : content.error().message;
}

TEST(BatchContent, ARequestACommandAndAnInput) {
    const Document document = document_of(R"(
workflows:
  ask:
    embed: {model: bge, input: {text: "{{ request.question }}", top: 5}}
    draft: {model: llama, request: {messages: [{role: user, content: "Say {{ steps.embed.output.0 }}"}]}, tries: 2}
    save:  {command: [sh, -c, "cat > out"], needs: [draft], timeout_s: 9}
requests:
  - {workflow: ask, items: [{custom_id: a, question: why}, {question: "7"}]}
)");
    const auto batch = read_batch(document);
    ASSERT_TRUE(batch) << batch.error().message;
    const auto content = read_content(document, *batch);
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(batch->requests[0].id, "a");
    EXPECT_EQ(batch->requests[1].id, "ask-0");
    EXPECT_EQ(content->fields[1], R"({"question":"7"})");
    EXPECT_EQ(content->of(*batch, 0, 0).json, R"({"text":"{{ request.question }}","top":5})");
    EXPECT_EQ(content->of(*batch, 0, 1).path, "/v1/chat/completions");
    EXPECT_EQ(content->of(*batch, 0, 1).tries, 2U);
    EXPECT_EQ(content->of(*batch, 0, 2).what, StepContent::What::command);
    EXPECT_EQ(content->of(*batch, 0, 2).timeout_seconds, 9);
    EXPECT_EQ(batch->workflows[0].steps[1].needs, std::vector<std::uint32_t>{0}) << "a template is a need";
}

TEST(BatchContent, ATemplateOfAMissingStepIsNamed) {
    EXPECT_NE(error_of(document_of(R"(
workflows: {w: {a: {model: bge, input: "{{ steps.b.output }}"}}}
requests: [{workflow: w}]
)"))
                  .find("a template names the step 'b', which workflow w does not have"),
              std::string::npos);
}

TEST(BatchContent, TemplatesMakeCyclesToo) {
    EXPECT_NE(error_of(document_of(R"(
workflows: {w: {a: {model: bge, input: "{{ steps.b.output }}"}, b: {model: bge, input: 1, needs: [a]}}}
requests: [{workflow: w}]
)"))
                  .find("runs in a circle"),
              std::string::npos);
}

TEST(BatchContent, AFieldThatALineLacksIsNamed) {
    EXPECT_NE(error_of(document_of(R"(
workflows: {w: {a: {model: bge, input: "{{ request.text }}"}}}
requests: [{workflow: w, items: [{text: x}, {txt: y}]}]
)"))
                  .find("asks for the field 'text', which is not there"),
              std::string::npos);
}

TEST(BatchContent, BracesThatAreNoTemplateAreRefused) {
    for (const char* text : {"{{ x }}", "{{ steps.a }}", "{{ request }}", "{{ request. }}", "{{ open"})
        EXPECT_FALSE(slots_in(text)) << text;
    EXPECT_EQ(slots_in("{{steps.a.answer.choices.0}} and {{ request.b }}")->size(), 2U);
}

TEST(BatchContent, TwoContentsAreOneTooMany) {
    EXPECT_NE(error_of(document_of(R"(
workflows: {w: {a: {model: bge, input: 1, request: {}}}}
requests: [{workflow: w}]
)"))
                  .find("has both request and input"),
              std::string::npos);
}

TEST(JsonLines, ABadLineIsNamedByItsNumber) {
    const auto good = parse_json_lines("{\"a\": \"\\ud83d\\ude00\"}\n\n{\"b\": 1e3}\n", "q.jsonl");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->items.size(), 2U);
    EXPECT_EQ(good->items[0].items[0].text, "\xf0\x9f\x98\x80");
    const auto bad = parse_json_lines("{\"a\": 1}\n{\"a\": }\n", "q.jsonl");
    ASSERT_FALSE(bad);
    EXPECT_TRUE(bad.error().message.starts_with("q.jsonl:2:")) << bad.error().message;
    EXPECT_FALSE(parse_json_lines("[1]\n", "q.jsonl"));
}

}  // namespace
}  // namespace sy::input
