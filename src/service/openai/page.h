// Pages of a list, as OpenAI's clients turn them: `after` names the last entry they have, `limit` how many they want.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "input/reading.h"
#include "service/http/message.h"
#include "service/openai/error.h"

namespace sy::openai {

/// Of entries that have an `id` and a to_json. An `after` that names none of them begins at the beginning.
template <class Entry>
Json page_of(const std::vector<const Entry*>& all, const http::Request& request, std::size_t usual, std::size_t most) {
    const auto said = [&](const char* key) {
        const auto found = request.query.find(key);
        return found == request.query.end() ? std::string() : found->second;
    };
    const std::size_t limit =
        std::clamp<std::size_t>(input::parse_number<std::size_t>(said("limit")).value_or(usual), 1, most);
    const std::string after = said("after");
    auto first = std::find_if(all.begin(), all.end(), [&](const Entry* entry) { return entry->id == after; });
    first = first == all.end() ? all.begin() : first + 1;
    const auto left = static_cast<std::size_t>(all.end() - first);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(limit, left));
    Json data = Json::array();
    for (auto entry = first; entry != last; ++entry) data.push_back(to_json(**entry));
    return {{"object", "list"},
            {"data", data},
            {"first_id", data.empty() ? Json(nullptr) : data.front()["id"]},
            {"last_id", data.empty() ? Json(nullptr) : data.back()["id"]},
            {"has_more", last != all.end()}};
}

}  // namespace sy::openai
