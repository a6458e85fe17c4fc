// Call: one request for a model, read from the body that an OpenAI client sends. Checked is what this service needs
// itself and what every engine would refuse; the rest is the model's to judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "base/time.h"
#include "core/model/task.h"
#include "service/openai/error.h"
#include "service/server/catalogue.h"

namespace sy::openai {

inline constexpr std::string_view kChat = "/v1/chat/completions";
inline constexpr std::string_view kCompletions = "/v1/completions";
inline constexpr std::string_view kEmbeddings = "/v1/embeddings";

struct Call {
    std::string path;
    std::string model;
    Json body;  ///< As the model gets it: without our own keys.
    bool stream = false;
    bool wants_usage = false;  ///< At the end of a stream.
    bool base64 = false;       ///< How vectors are to be written.
    Level level = Level::high;
    std::optional<Duration> deadline;  ///< From when it was asked.
};

template <class T>
using Read = tl::expected<T, Refusal>;

/// A JSON document that is not nested too deeply for those who walk it; nothing where it is none.
std::optional<Json> parse_json(std::string_view text);

/// Of the body as it was sent.
Read<Call> parse_call(std::string_view path, std::string_view body);
Read<Call> read_call(std::string_view path, Json body, Level level = Level::high);

/// The model that is meant by a name, which may be another name of it. Nothing where there is none.
std::optional<std::string> find_model(const server::Catalogue& catalogue, const std::string& name);

bool is_call_path(std::string_view path);

}  // namespace sy::openai
