// Render: a step's content with its templates filled in, and what of an answer they mean by `output`.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sy::runs {

using Json = nlohmann::ordered_json;

/// What a step answered; an error where it cannot be had.
using AnswerOf = std::function<Result<Json>(const std::string& step)>;

/// A text that is one template and nothing else becomes the value itself; within other text values are written out.
Result<Json> render(const Json& content, const Json& fields, const AnswerOf& answer_of);

/// What matters of an answer: the text of a chat or completion, the vector of an embedding; anything else as it is.
Json output_of(const Json& answer);

}  // namespace sy::runs
