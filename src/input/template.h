// Template: `{{ steps.draft.output }}` and `{{ request.question }}` within the text of a step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sy::input {

/// One pair of braces and what stands between them.
struct Slot {
    enum class Source { step, request };

    std::size_t begin = 0;  ///< Of the text it replaces.
    std::size_t end = 0;
    Source source = Source::request;
    std::string step;               ///< Of Source::step: whose answer.
    bool whole_answer = false;      ///< `answer`: everything it said; otherwise what matters of it, its `output`.
    std::vector<std::string> path;  ///< Into that, or into the request's fields: keys, and numbers in lists.
};

/// In the order in which they stand. An error says what is wrong with the first that is no template.
Result<std::vector<Slot>> slots_in(std::string_view text);

}  // namespace sy::input
