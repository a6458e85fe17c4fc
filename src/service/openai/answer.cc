#include "service/openai/answer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sy::openai {

namespace {

std::string text_of(const Json& json) {
    return json.is_string() ? json.get<std::string>() : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool has_list(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_array();
}

bool is_vector(const Json& json) {
    return json.is_array() && !json.empty() &&
           std::all_of(json.begin(), json.end(), [](const Json& value) { return value.is_number(); });
}

Json no_usage() {
    return {{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}};
}

std::string base64_of(const std::string& bytes) {
    constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t some = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8U | (j < some ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) text += j > some ? '=' : kDigits[bits >> (18 - 6 * j) & 63U];
    }
    return text;
}

/// Numbers of 4 bytes, the lowest first.
std::string packed(const Json& vector) {
    std::string bytes;
    for (const Json& value : vector) {
        const auto number = value.get<float>();
        std::uint32_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xffU);
    }
    return base64_of(bytes);
}

std::optional<Json> embeddings(const Call& call, const Json& output) {
    Json document = output;
    if (!has_list(output, "data")) {
        Json vectors = output.is_object() && output.contains("embedding") ? Json::array({output["embedding"]})
                       : is_vector(output)                                ? Json::array({output})
                                                                          : output;
        if (!vectors.is_array() || vectors.empty() || !std::all_of(vectors.begin(), vectors.end(), is_vector))
            return std::nullopt;
        Json data = Json::array();
        for (Json& vector : vectors)
            data.push_back({{"object", "embedding"}, {"index", data.size()}, {"embedding", std::move(vector)}});
        document = {{"object", "list"},
                    {"data", std::move(data)},
                    {"model", call.model},
                    {"usage", {{"prompt_tokens", 0}, {"total_tokens", 0}}}};
    }
    if (!call.base64) return document;
    for (Json& entry : document["data"])
        if (entry.is_object() && entry.contains("embedding") && is_vector(entry["embedding"]))
            entry["embedding"] = packed(entry["embedding"]);
    return document;
}

Json head(const Call& call, const char* object, const Marks& marks) {
    return {{"id", marks.id}, {"object", object}, {"created", marks.created}, {"model", call.model}};
}

Json choice_of_piece(const Call& call, const Json& choice) {
    if (!choice.is_object()) return choice;
    Json piece{{"index", choice.value("index", Json(0))}};
    if (call.path == kChat) {
        piece["delta"] = choice.value("message", Json::object());
    } else {
        piece["text"] = choice.value("text", Json(""));
    }
    piece["finish_reason"] = choice.value("finish_reason", Json("stop"));
    return piece;
}

}  // namespace

std::optional<Json> whole_answer(const Call& call, const Json& output, const Marks& marks) {
    if (call.path == kEmbeddings) return embeddings(call, output);
    if (has_list(output, "choices")) return output;
    const bool is_chat = call.path == kChat;
    Json choice{{"index", 0}};
    if (is_chat) {
        choice["message"] = {{"role", "assistant"}, {"content", text_of(output)}};
    } else {
        choice["text"] = text_of(output);
    }
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = "stop";
    Json document = head(call, is_chat ? "chat.completion" : "text_completion", marks);
    document["choices"] = Json::array({choice});
    document["usage"] = no_usage();
    return document;
}

std::vector<Json> pieces_of(const Call& call, const Json& output, const Marks& marks) {
    if (has_list(output, "stream")) return output["stream"].get<std::vector<Json>>();
    const Json whole = *whole_answer(call, output, marks);
    Json piece = whole;
    piece["object"] = call.path == kChat ? "chat.completion.chunk" : "text_completion";
    for (Json& choice : piece["choices"]) choice = choice_of_piece(call, choice);
    piece.erase("usage");
    std::vector<Json> pieces{piece};
    if (!call.wants_usage) return pieces;
    piece["choices"] = Json::array();
    piece["usage"] = whole.value("usage", no_usage());
    pieces.push_back(std::move(piece));
    return pieces;
}

bool is_piece(const Json& data) {
    return has_list(data, "choices") || (data.is_object() && data.contains("error"));
}

Json piece_of(const Call& call, const Json& data, const Marks& marks) {
    if (is_piece(data)) return data;
    const bool is_chat = call.path == kChat;
    Json choice{{"index", 0}};
    if (is_chat) {
        choice["delta"] = {{"content", text_of(data)}};
    } else {
        choice["text"] = text_of(data);
    }
    choice["finish_reason"] = nullptr;
    Json piece = head(call, is_chat ? "chat.completion.chunk" : "text_completion", marks);
    piece["choices"] = Json::array({choice});
    return piece;
}

Json last_piece(const Call& call, const Marks& marks) {
    Json piece = piece_of(call, "", marks);
    Json& choice = piece["choices"][0];
    if (call.path == kChat) choice["delta"] = Json::object();
    choice["finish_reason"] = "stop";
    return piece;
}

std::string event_text(const std::string& data) {
    return "data: " + data + "\n\n";
}

}  // namespace sy::openai
