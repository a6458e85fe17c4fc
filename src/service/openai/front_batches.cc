// Batches, as clients hand them in and ask after them.
#include <algorithm>

#include <fmt/format.h>

#include "service/openai/front.h"
#include "service/openai/page.h"
#include "service/server/json_answer.h"

namespace sy::openai {

namespace {

constexpr std::size_t kMostMetadata = 16;
constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kLongestValue = 512;

bool is_metadata(const Json& json) {
    if (json.is_null()) return true;
    if (!json.is_object() || json.size() > kMostMetadata) return false;
    const auto items = json.items();
    return std::all_of(items.begin(), items.end(), [](const auto& item) {
        return item.key().size() <= kLongestKey && item.value().is_string() &&
               item.value().template get_ref<const std::string&>().size() <= kLongestValue;
    });
}

Read<Batch> read_wish(const std::string& body) {
    const auto wrong = [](const std::string& message, const std::string& param) {
        return tl::unexpected(Refusal{400, message, param, "invalid_value"});
    };
    const auto json = parse_json(body);
    if (!json || !json->is_object()) return wrong("the body must be a JSON map", "");
    for (const auto& [key, value] : json->items()) {
        constexpr std::array kKnown{"input_file_id", "endpoint", "completion_window", "metadata",
                                    "output_expires_after"};
        if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end())
            return wrong(fmt::format("a batch has no field '{}'", key), key);
    }
    for (const char* key : {"input_file_id", "endpoint", "completion_window"})
        if (!json->contains(key) || !(*json)[key].is_string())
            return wrong(fmt::format("'{}' must be a text", key), key);
    Batch batch;
    batch.input_file = (*json)["input_file_id"].get<std::string>();
    batch.endpoint = (*json)["endpoint"].get<std::string>();
    batch.window = (*json)["completion_window"].get<std::string>();
    batch.metadata = json->value("metadata", Json());
    if (!is_call_path(batch.endpoint))
        return wrong(fmt::format("'endpoint' must be {}, {} or {}", kChat, kCompletions, kEmbeddings), "endpoint");
    if (!seconds_of_window(batch.window))
        return wrong("'completion_window' must be a time such as 24h, at most a year", "completion_window");
    if (!is_metadata(batch.metadata))
        return wrong(fmt::format("'metadata' must be a map of at most {} texts, keys of {} and values of {} bytes",
                                 kMostMetadata, kLongestKey, kLongestValue),
                     "metadata");
    return batch;
}

http::Response shown(const Read<const Batch*>& batch) {
    if (!batch) return error_response(batch.error());
    auto response = server::json_response(200, to_json(**batch));
    response.note = (*batch)->id;
    return response;
}

}  // namespace

http::Response Front::add_batch(const http::Request& request, const auth::Caller& caller) {
    auto wanted = read_wish(request.body);
    if (!wanted) return error_response(wanted.error());
    wanted->user = caller.owner;
    return shown(batches_.add(std::move(*wanted)));
}

http::Response Front::list_batches(const http::Request& request) {
    return server::json_response(200, page_of(batches_.all(), request, 20, 100));
}

http::Response Front::show_batch(const std::string& id) {
    const Batch* batch = batches_.find(id);
    if (batch == nullptr)
        return error_response({404, fmt::format("there is no batch '{}'", id), "id", "batch_not_found"});
    return server::json_response(200, to_json(*batch));
}

http::Response Front::cancel_batch(const std::string& id) {
    return shown(batches_.cancel(id));
}

}  // namespace sy::openai
