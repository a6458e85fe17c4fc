#include "service/openai/batch.h"

#include <array>
#include <utility>

#include "input/reading.h"

namespace sy::openai {

namespace {

constexpr std::int64_t kYear = 31'536'000;

constexpr std::array kStates{BatchState::validating, BatchState::in_progress, BatchState::finalizing,
                             BatchState::cancelling, BatchState::completed,   BatchState::failed,
                             BatchState::cancelled,  BatchState::expired};

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json or_null(std::int64_t time) {
    return time == 0 ? Json(nullptr) : Json(time);
}

Json at_end(const Batch& batch, BatchState state) {
    return batch.state == state ? or_null(batch.ended) : Json(nullptr);
}

BatchState state_named(const std::string& name) {
    for (const BatchState state : kStates)
        if (name == name_of(state)) return state;
    return BatchState::failed;
}

}  // namespace

const char* name_of(BatchState state) {
    switch (state) {
        case BatchState::validating: return "validating";
        case BatchState::in_progress: return "in_progress";
        case BatchState::finalizing: return "finalizing";
        case BatchState::cancelling: return "cancelling";
        case BatchState::completed: return "completed";
        case BatchState::failed: return "failed";
        case BatchState::cancelled: return "cancelled";
        case BatchState::expired: return "expired";
    }
    return "failed";
}

Json to_json(const Batch& batch) {
    return {{"id", batch.id},
            {"object", "batch"},
            {"endpoint", batch.endpoint},
            {"errors", batch.errors.empty() ? Json(nullptr) : Json{{"object", "list"}, {"data", batch.errors}}},
            {"input_file_id", batch.input_file},
            {"completion_window", batch.window},
            {"status", name_of(batch.state)},
            {"output_file_id", or_null(batch.output_file)},
            {"error_file_id", or_null(batch.error_file)},
            {"created_at", batch.created},
            {"in_progress_at", or_null(batch.in_progress)},
            {"expires_at", or_null(batch.expires)},
            {"finalizing_at", or_null(batch.finalizing)},
            {"completed_at", at_end(batch, BatchState::completed)},
            {"failed_at", at_end(batch, BatchState::failed)},
            {"expired_at", at_end(batch, BatchState::expired)},
            {"cancelling_at", or_null(batch.cancelling)},
            {"cancelled_at", at_end(batch, BatchState::cancelled)},
            {"request_counts",
             {{"total", batch.counts.total}, {"completed", batch.counts.completed}, {"failed", batch.counts.failed}}},
            {"metadata", batch.metadata}};
}

Json record_of(const Batch& batch) {
    Json json = to_json(batch);
    json["user"] = batch.user;
    json["run"] = batch.run;
    json["ended"] = batch.ended;
    json["line_errors"] = batch.errors;
    json["has_expired"] = batch.has_expired;
    json["unrunnable"] = Json::array();
    for (const Unrunnable& line : batch.unrunnable)
        json["unrunnable"].push_back({{"custom_id", line.custom_id},
                                      {"status", line.refusal.status},
                                      {"message", line.refusal.message},
                                      {"param", line.refusal.param},
                                      {"code", line.refusal.code}});
    return json;
}

std::optional<Batch> read_record(const Json& json) {
    const auto text = [&json](const char* key) {
        return json.at(key).is_null() ? "" : json.at(key).get<std::string>();
    };
    const auto time = [&json](const char* key) {
        return json.at(key).is_null() ? 0 : json.at(key).get<std::int64_t>();
    };
    try {
        const Json& counts = json.at("request_counts");
        Batch batch{.id = text("id"),
                    .input_file = text("input_file_id"),
                    .endpoint = text("endpoint"),
                    .window = text("completion_window"),
                    .metadata = json.at("metadata"),
                    .user = text("user"),
                    .run = json.at("run").get<runs::RunId>(),
                    .state = state_named(text("status")),
                    .unrunnable = {},
                    .errors = json.at("line_errors"),
                    .output_file = text("output_file_id"),
                    .error_file = text("error_file_id"),
                    .counts = {counts.at("total").get<std::uint64_t>(), counts.at("completed").get<std::uint64_t>(),
                               counts.at("failed").get<std::uint64_t>()},
                    .created = time("created_at"),
                    .expires = time("expires_at"),
                    .in_progress = time("in_progress_at"),
                    .finalizing = time("finalizing_at"),
                    .cancelling = time("cancelling_at"),
                    .ended = time("ended"),
                    .has_expired = json.at("has_expired").get<bool>()};
        for (const Json& line : json.at("unrunnable"))
            batch.unrunnable.push_back({line.at("custom_id").get<std::string>(),
                                        {line.at("status").get<unsigned>(), line.at("message").get<std::string>(),
                                         line.at("param").get<std::string>(), line.at("code").get<std::string>()}});
        return batch;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::optional<std::int64_t> seconds_of_window(std::string_view window) {
    if (window.empty()) return std::nullopt;
    const auto number = input::parse_number<std::uint32_t>(window.substr(0, window.size() - 1));
    if (!number || *number == 0) return std::nullopt;
    for (const auto& [unit, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}})
        if (window.back() == unit && std::int64_t{*number} * seconds <= kYear) return std::int64_t{*number} * seconds;
    return std::nullopt;
}

}  // namespace sy::openai
