#include "service/worker/served_answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::worker {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestEvent = std::size_t{8} << 20U;
constexpr std::size_t kLongestReason = 2000;

bool is_stream(const http::ResponseParser& answer) {
    return answer.status() < 300 && answer.header("content-type").starts_with("text/event-stream");
}

std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What a document says of an error; empty where it tells of none.
std::string error_in(const Json& document) {
    if (!document.is_object()) return "";
    const auto error = document.find("error");
    if (error != document.end() && error->is_object() && error->contains("message"))
        return text_of((*error)["message"]);
    if (error != document.end() && !error->is_null()) return text_of(*error);
    return "";
}

/// A text as JSON; nothing where it is none in UTF-8.
std::string as_json_text(std::string_view text) {
    try {
        return Json(text).dump();
    } catch (const Json::type_error&) {
        return "";
    }
}

}  // namespace

std::string reason_in(std::string_view body) {
    const Json document = Json::parse(body, nullptr, false);
    std::string reason = error_in(document);
    if (reason.empty() && document.is_object())
        for (const char* key : {"message", "detail"})
            if (document.contains(key)) reason = text_of(document[key]);
    if (reason.empty()) reason = std::string(body);
    if (reason.size() > kLongestReason) reason = reason.substr(0, kLongestReason) + "...";
    return Json::parse(Json(reason).dump(-1, ' ', false, Json::error_handler_t::replace))
        .get<std::string>();  // as UTF-8
}

std::vector<PieceOfAnswer> ServedAnswer::read(http::ResponseParser& answer) {
    std::vector<PieceOfAnswer> pieces;
    if (!answer.has_head()) return pieces;
    const std::string come = answer.take_body();
    if (!is_stream(answer)) {
        seen_ += come.size();
        kept_.append(come, 0, kMostOutput - std::min(kept_.size(), kMostOutput));
        return pieces;
    }
    if (overlong_) return pieces;
    std::string_view rest = come;
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
        line_ += rest.substr(0, end);
        if (!line_.empty() && line_.back() == '\r') line_.pop_back();
        read_event_line(line_, pieces);
        line_.clear();
    }
    if (line_.size() + rest.size() > kLongestEvent) overlong_ = true;
    if (!overlong_) line_ += rest;
    return pieces;
}

void ServedAnswer::read_event_line(std::string_view line, std::vector<PieceOfAnswer>& pieces) {
    constexpr std::string_view kData = "data:";
    if (line.starts_with(kData)) {
        line.remove_prefix(kData.size());
        if (line.starts_with(' ')) line.remove_prefix(1);
        if (std::exchange(has_data_, true)) event_ += '\n';
        event_ += line;
        if (event_.size() > kLongestEvent) overlong_ = true;
    }
    if (!line.empty() || !has_data_) return;
    has_data_ = false;
    const std::string event = std::exchange(event_, {});
    if (event == "[DONE]") {
        done_ = true;
        return;
    }
    const Json document = Json::parse(event, nullptr, false);
    std::string json = document.is_discarded() ? as_json_text(event) : event;
    if (json.empty()) json = "null";
    if (const std::string error = error_in(document); !error.empty()) error_ = error;
    keep(json);
    pieces.push_back({std::move(json)});
}

void ServedAnswer::keep(const std::string& json) {
    constexpr std::size_t kRoomForTheRest = 64;
    cut_ = cut_ || kept_.size() + json.size() + kRoomForTheRest > kMostOutput;
    if (cut_) return;
    kept_ += (kept_.empty() ? "" : ",") + json;
}

RunnerWord ServedAnswer::finish(const http::ResponseParser& answer) const {
    if (answer.status() >= 300) {
        const std::string reason = reason_in(kept_);
        return Failure{
            reason.empty() ? fmt::format("the model's server answered with status {}", answer.status()) : reason,
            speaks_of_gpu_memory(reason), answer.status()};
    }
    if (is_stream(answer)) return finish_stream(answer);
    if (seen_ > kMostOutput)
        return Failure{fmt::format("the answer has {} bytes, at most {} are kept: ask for less, or for a stream", seen_,
                                   kMostOutput)};
    if (kept_.empty()) return Output{"null"};
    if (Json::accept(kept_)) return Output{kept_};
    std::string text = as_json_text(kept_);
    if (text.empty()) return Failure{fmt::format("the answer, {} bytes, is neither JSON nor text", seen_)};
    return Output{std::move(text)};
}

RunnerWord ServedAnswer::finish_stream(const http::ResponseParser& answer) const {
    if (!error_.empty()) return Failure{error_, speaks_of_gpu_memory(error_)};
    if (overlong_) return Failure{"an event of the stream has more than 8 MB"};
    if (!done_ && answer.ends_with_line()) return Failure{"the stream ended before it said that it was done"};
    return Output{fmt::format("{{\"stream\":[{}]{}}}", kept_, cut_ ? ",\"cut\":true" : "")};
}

}  // namespace sy::worker
