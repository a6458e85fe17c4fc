// Answer: what a model gave, as the document or the stream of documents that an OpenAI client understands. A model that
// answers in that form is passed on as it is; anything else is put into it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/openai/call.h"

namespace sy::openai {

/// What a document says of itself.
struct Marks {
    std::string id;
    std::int64_t created = 0;  ///< Seconds since 1970.
};

/// Nothing where the output cannot be an answer: text where a vector was asked for.
std::optional<Json> whole_answer(const Call& call, const Json& output, const Marks& marks);

/// The same in pieces, for a client that wants a stream. One that came in pieces is taken apart into those.
std::vector<Json> pieces_of(const Call& call, const Json& output, const Marks& marks);

/// One piece that came while the answer is made. One that is no document of a stream is taken for the next of its text.
Json piece_of(const Call& call, const Json& data, const Marks& marks);
bool is_piece(const Json& data);
/// The last of such a text, which says that it is whole.
Json last_piece(const Call& call, const Marks& marks);

/// One piece of a stream as it is sent.
std::string event_text(const std::string& data);

}  // namespace sy::openai
