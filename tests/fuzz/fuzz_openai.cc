// What a stranger may send to the routes under /v1: calls, forms with files, and the lines of a batch; and what a model
// may answer.
#include "base/check.h"
#include "fuzz/target.h"
#include "service/openai/answer.h"
#include "service/openai/batch_run.h"
#include "service/openai/multipart.h"

namespace {

void answer_with(const sy::openai::Call& call, std::string_view text) {
    const auto output = sy::openai::parse_json(text);
    if (!output) return;
    const auto document = sy::openai::whole_answer(call, *output, {"id", 1});
    if (call.path == sy::openai::kEmbeddings || !document) return;
    SY_CHECK(document->contains("choices"), "no choices");
    for (const auto& piece : sy::openai::pieces_of(call, *output, {"id", 1}))
        (void)sy::openai::piece_of(call, piece, {"id", 1});
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    for (const auto path : {sy::openai::kChat, sy::openai::kCompletions, sy::openai::kEmbeddings}) {
        if (const auto call = sy::openai::parse_call(path, text))
            SY_CHECK(!call->model.empty() && !call->body.contains("priority"), "a call of {}", call->model);
        answer_with({.path = std::string(path), .model = "m", .body = {}, .base64 = true}, text);
    }
    if (const auto parts = sy::openai::read_form("multipart/form-data; boundary=b", text))
        for (const auto& part : *parts)
            SY_CHECK(!part.name.empty() && part.content.size() <= size, "a part '{}'", part.name);
    const auto input = sy::openai::read_batch_file(text);
    if (!input.errors.empty()) return 0;
    const auto run = sy::openai::make_batch_run(
        input.lines, [](const std::string& name) { return name == "no" ? std::nullopt : std::optional(name); });
    SY_CHECK(run.steps + run.unrunnable.size() == input.lines.size(), "{} lines", input.lines.size());
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    const std::string line =
        R"({"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": {"model": "m", "prompt": "x"}})";
    return {
        R"({"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": true, "priority": "LOW", "deadline": 1})",
        R"({"model": "m", "input": ["a"], "encoding_format": "base64"})",
        R"([[0.5, 1e9], [2, 3]])",
        R"({"choices": [{"index": 0, "message": {"content": "x"}}, 7], "usage": null, "stream": [1]})",
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\\\"b\"\r\n\r\nx\r\n--b--",
        line + "\n" + R"({"custom_id": "b", "method": "POST", "url": "/v1/completions", "depends_on": ["a"],)" +
            R"( "body": {"model": "no", "prompt": "{{ steps.a.output }}"}})"};
}
