// Query: numbers behind the '?' of a request. One that is none, or out of its range, is refused with words.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "service/http/message.h"

namespace sy::server {

struct QueryRange {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::int64_t>::max();
};

inline Result<std::uint64_t> query_number(const http::Request& request, const std::string& key, std::uint64_t otherwise,
                                          const QueryRange& range = {}) {
    const auto found = request.query.find(key);
    if (found == request.query.end()) return otherwise;
    const std::string& text = found->second;
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = code == std::errc{} && end == text.data() + text.size();
    if (is_whole && number >= range.least && number <= range.most) return number;
    return fail(Fault::invalid_input,
                fmt::format("{} is '{}', it must be a whole number from {} to {}", key, text, range.least, range.most));
}

/// Two numbers of one query; the first that is wrong.
struct QueryPage {
    std::uint64_t from = 0;
    std::uint64_t limit = 0;
};
inline Result<QueryPage> query_page(const http::Request& request, const char* from, const QueryPage& otherwise,
                                    std::uint64_t most) {
    const auto begin = query_number(request, from, otherwise.from);
    if (!begin) return tl::unexpected(begin.error());
    const auto limit = query_number(request, "limit", otherwise.limit, {1, most});
    if (!limit) return tl::unexpected(limit.error());
    return QueryPage{*begin, *limit};
}

}  // namespace sy::server
