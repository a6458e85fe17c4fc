#include "service/openai/call.h"

#include <cmath>

#include <fmt/format.h>

#include "service/server/nesting.h"
#include "service/server/task_json.h"

namespace sy::openai {

namespace {

constexpr double kLongestDeadline = 31'536'000;

tl::unexpected<Refusal> wrong(const std::string& param, const std::string& rule) {
    return tl::unexpected(Refusal{400, fmt::format("'{}' must be {}", param, rule), param, "invalid_value"});
}

bool is_text_or_list(const Json& body, const char* key) {
    if (!body.contains(key)) return false;
    const Json& value = body[key];
    return value.is_string() || (value.is_array() && !value.empty());
}

std::optional<Refusal> why_no_work(const Call& call) {
    const Json& body = call.body;
    const auto refused = [](const std::string& param, const std::string& rule) { return wrong(param, rule).value(); };
    if (call.path == kChat) {
        if (!body.contains("messages") || !body["messages"].is_array() || body["messages"].empty())
            return refused("messages", "a list of at least one message");
        for (const Json& message : body["messages"])
            if (!message.is_object()) return refused("messages", "a list of messages, each a map");
    } else if (call.path == kCompletions) {
        if (!is_text_or_list(body, "prompt")) return refused("prompt", "a text, or a list that is not empty");
    } else if (!is_text_or_list(body, "input")) {
        return refused("input", "a text, or a list that is not empty");
    }
    for (const char* key : {"max_tokens", "max_completion_tokens"})
        if (body.contains(key) && !body[key].is_null() && (!body[key].is_number_unsigned() || body[key] == 0))
            return refused(key, "a whole number above 0");
    return std::nullopt;
}

/// Our own keys, which no model needs to know.
std::optional<Refusal> take_extras(Call& call) {
    const auto refused = [](const std::string& param, const std::string& rule) { return wrong(param, rule).value(); };
    if (const auto found = call.body.find("priority"); found != call.body.end()) {
        const auto level =
            found->is_string() ? server::level_named(found->get_ref<const std::string&>()) : std::nullopt;
        if (!level) return refused("priority", "one of CRITICAL, HIGH, NORMAL, LOW");
        call.level = *level;
        call.body.erase("priority");
    }
    if (const auto found = call.body.find("deadline"); found != call.body.end()) {
        const double seconds = found->is_number() ? found->get<double>() : std::nan("");
        if (!(seconds >= 0.001 && seconds <= kLongestDeadline))
            return refused("deadline", "a number of seconds from 0.001 to 31536000");
        call.deadline = Duration(std::llround(seconds * 1e9));
        call.body.erase("deadline");
    }
    return std::nullopt;
}

}  // namespace

bool is_call_path(std::string_view path) {
    return path == kChat || path == kCompletions || path == kEmbeddings;
}

std::optional<std::string> find_model(const server::Catalogue& catalogue, const std::string& name) {
    std::string meant = catalogue.model_named(name);
    return catalogue.models().contains(meant) ? std::optional(std::move(meant)) : std::nullopt;
}

std::optional<Json> parse_json(std::string_view text) {
    if (server::is_nested_too_deeply(text)) return std::nullopt;
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

Read<Call> parse_call(std::string_view path, std::string_view body) {
    auto json = parse_json(body);
    if (!json) return tl::unexpected(Refusal{400, "the body is no JSON, or nested too deeply", "", "invalid_json"});
    return read_call(path, std::move(*json));
}

Read<Call> read_call(std::string_view path, Json body, Level level) {
    if (!body.is_object()) return tl::unexpected(Refusal{400, "the body must be a map", "", "invalid_json"});
    Call call{.path = std::string(path), .model = {}, .body = std::move(body), .level = level};
    const auto model = call.body.find("model");
    if (model == call.body.end()) return wrong("model", "given");
    if (!model->is_string() || model->get_ref<const std::string&>().empty()) return wrong("model", "a model's name");
    call.model = model->get<std::string>();
    if (const auto stream = call.body.find("stream"); stream != call.body.end() && !stream->is_null()) {
        if (!stream->is_boolean()) return wrong("stream", "true or false");
        call.stream = stream->get<bool>() && path != kEmbeddings;
    }
    const Json::json_pointer usage("/stream_options/include_usage");
    const Json options = call.body.value("stream_options", Json());
    call.wants_usage = options.is_object() && call.body.value(usage, Json()) == true;
    call.base64 = call.body.value("encoding_format", Json()) == "base64";
    if (auto refusal = take_extras(call)) return tl::unexpected(std::move(*refusal));
    if (auto refusal = why_no_work(call)) return tl::unexpected(std::move(*refusal));
    return call;
}

}  // namespace sy::openai
