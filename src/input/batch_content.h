// Content: what the steps of a batch really do, beside what planning needs to know of them. Batches without it can be
// planned and pretended, not run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/model/batch.h"
#include "input/document.h"
#include "input/template.h"

namespace sy::input {

/// One step; texts are templates where they hold {{ … }}.
struct StepContent {
    enum class What : std::uint8_t {
        nothing,
        request,  ///< For an OpenAI-compatible server.
        command,
        input,  ///< For a runner.
    };

    What what = What::nothing;
    std::string json;                        ///< The request's body, the command's list or the input.
    std::string path = kChat;                ///< Of a request.
    std::string folder;                      ///< Of a command.
    std::optional<double> timeout_seconds;   ///< For one attempt.
    std::optional<std::uint32_t> tries;      ///< Attempts at most.
    std::optional<double> deadline_seconds;  ///< After the batch was handed in; past it the step is not begun.

    static constexpr const char* kChat = "/v1/chat/completions";
};

struct Content {
    std::vector<std::vector<StepContent>> steps;  ///< By workflow and step.
    std::vector<std::string> fields;              ///< By request: what {{ request.… }} means, a JSON map.

    const StepContent& of(const Batch& batch, std::uint32_t request, std::uint32_t step) const {
        return steps[batch.requests[request].workflow][step];
    }
    bool has_commands() const;
};

/// The keys of a step that say what it does.
std::vector<std::string_view> content_keys();

/// Of a step, in its own words; what it needs because its templates name it is added to `needed`.
std::vector<std::string> steps_named_in(const Node& step);

/// Of a document that read_batch has taken.
Result<Content> read_content(const Document& document, const Batch& batch);

}  // namespace sy::input
