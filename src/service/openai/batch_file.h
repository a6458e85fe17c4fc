// A batch's input: a JSON document a line, each a call with a name of its own, {"custom_id", "method", "url", "body"},
// and ours beside: `depends_on` (names of calls that must have been answered first), `priority`, `deadline`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/openai/call.h"

namespace sy::openai {

struct BatchLine {
    std::size_t line = 0;  ///< From 1.
    std::string custom_id;
    Call call;
    std::vector<std::size_t> needs;  ///< Other lines, as places in the list of them.
};

/// What is wrong with a line, as a batch's `errors` say it.
struct LineError {
    std::string code;
    std::string message;
    std::string param;
    std::optional<std::size_t> line;
};
Json to_json(const LineError& error);

struct BatchInput {
    std::vector<BatchLine> lines;
    std::vector<LineError> errors;  ///< Where there is one, the batch must not be run.
};

inline constexpr std::size_t kMostLines = 100'000;
inline constexpr std::size_t kMostErrors = 100;

BatchInput read_batch_file(std::string_view text);

}  // namespace sy::openai
