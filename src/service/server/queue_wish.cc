// What is asked of a page of the queue, and where it goes on, as text.
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "service/server/queue_page.h"
#include "service/server/task_json.h"

namespace sy::server {

namespace {

constexpr std::array<std::pair<const char*, Waits>, 4> kStates{
    {{"running", Waits::running}, {"queued", Waits::queued}, {"blocked", Waits::blocked}, {"delayed", Waits::delayed}}};
constexpr std::size_t kMostSearch = 200;

/// "line:2:17" has the numbers 2 and 17.
template <std::size_t N>
std::optional<std::array<std::int64_t, N>> numbers_in(std::string_view text) {
    std::array<std::int64_t, N> numbers{};
    for (std::int64_t& number : numbers) {
        if (text.empty() || text.front() != ':') return std::nullopt;
        const auto [end, code] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
        if (code != std::errc{}) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return text.empty() ? std::optional(numbers) : std::nullopt;
}

Result<void> read_field(const std::string& key, const std::string& value, QueueWish& wish) {
    const auto wrong = [&](const std::string& rule) {
        return fail(Fault::invalid_input, fmt::format("{} is '{}', it must be {}", key, value, rule));
    };
    if (key == "limit") {
        const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), wish.limit);
        const bool whole = code == std::errc{} && end == value.data() + value.size();
        if (!whole || wish.limit < 1 || wish.limit > kMostOnAPage)
            return wrong(fmt::format("a whole number from 1 to {}", kMostOnAPage));
    } else if (key == "after") {
        const auto cursor = cursor_in(value);
        if (!cursor) return wrong("what an earlier answer said as next");
        wish.after = *cursor;
    } else if (key == "state") {
        for (const auto& [name, state] : kStates)
            if (value == name) wish.state = state;
        if (!wish.state) return wrong("one of running, queued, blocked, delayed");
    } else if (key == "priority") {
        wish.level = level_named(value);
        if (!wish.level) return wrong("one of CRITICAL, HIGH, NORMAL, LOW");
    } else if (key == "model") {
        wish.model = value;
    } else if (key == "search") {
        if (value.size() > kMostSearch) return wrong(fmt::format("at most {} bytes", kMostSearch));
        wish.search = value;
    } else {
        return fail(Fault::invalid_input, fmt::format("the queue cannot be asked for '{}'", key));
    }
    return {};
}

}  // namespace

std::string text_of(const QueueCursor& cursor) {
    switch (cursor.part) {
        case QueueCursor::Part::running: return fmt::format("running:{}:{}", cursor.gpu.value(), cursor.skip);
        case QueueCursor::Part::line:
            return fmt::format("line:{}:{}:{}", cursor.place.rank, cursor.place.number, cursor.place.task.value());
        case QueueCursor::Part::held: return fmt::format("held:{}", cursor.task.value());
    }
    return "";
}

std::optional<QueueCursor> cursor_in(const std::string& text) {
    const std::string part = text.substr(0, text.find(':'));
    const std::string_view rest = std::string_view(text).substr(part.size());
    QueueCursor cursor;
    if (part == "running") {
        const auto numbers = numbers_in<2>(rest);
        if (!numbers || (*numbers)[0] < 0 || (*numbers)[0] > std::numeric_limits<std::uint32_t>::max() ||
            (*numbers)[1] < 0)
            return std::nullopt;
        cursor.gpu = GpuId(static_cast<std::uint32_t>((*numbers)[0]));
        cursor.skip = static_cast<std::size_t>((*numbers)[1]);
        return cursor;
    }
    if (part == "line") {
        const auto numbers = numbers_in<3>(rest);
        if (!numbers || (*numbers)[2] < 0) return std::nullopt;
        cursor.part = QueueCursor::Part::line;
        cursor.place = {(*numbers)[0], (*numbers)[1], TaskId(static_cast<std::uint64_t>((*numbers)[2]))};
        return cursor;
    }
    const auto numbers = part == "held" ? numbers_in<1>(rest) : std::nullopt;
    if (!numbers || (*numbers)[0] < 0) return std::nullopt;
    cursor.part = QueueCursor::Part::held;
    cursor.task = TaskId(static_cast<std::uint64_t>((*numbers)[0]));
    return cursor;
}

Result<QueueWish> read_queue_wish(const std::map<std::string, std::string>& query) {
    QueueWish wish;
    for (const auto& [key, value] : query) {
        if (value.empty()) continue;
        if (const auto read = read_field(key, value, wish); !read) return tl::unexpected(read.error());
    }
    return wish;
}

}  // namespace sy::server
