// The timeline over HTTP. Rows are lists rather than maps, and written by hand: there may be twenty thousand of them.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/server/json_answer.h"
#include "service/server/timeline.h"
#include "service/server/wall_text.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kUsual = 10'000;
constexpr std::size_t kMostRows = 20'000;

template <class T>
std::optional<T> number_in(std::string_view text) {
    T number{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

/// Rows as they are written, and the models they name by number.
class Timeline::Writing {
public:
    explicit Writing(WallTime zero) : zero_(zero) {}

    void add(const Bar& bar) {
        if (count_++ > 0) rows_ += ',';
        const std::string end = bar.end == 0 ? "null" : fmt::format("{:.3f}", seconds(bar.end));
        fmt::format_to(std::back_inserter(rows_), R"([{},{},{},{},{},{:.3f},{:.3f},{},"{}",{}])", bar.task.value(),
                       bar.attempt, bar.gpus.first.value(), bar.gpus.count, number_of(bar.model),
                       static_cast<double>(bar.load_us) / 1e6, seconds(bar.start), end, bar.state,
                       bar.name.empty() ? "\"\"" : quoted(bar.name));
    }
    std::size_t count() const { return count_; }
    const std::string& rows() const { return rows_; }
    std::string models() const { return Json(models_).dump(-1, ' ', false, Json::error_handler_t::replace); }

private:
    double seconds(WallTime time) const { return static_cast<double>(time - zero_) / 1e3; }
    /// -1: none.
    std::int64_t number_of(const std::string& model) {
        if (model.empty()) return -1;
        const auto [found, is_new] = numbers_.try_emplace(model, static_cast<std::int64_t>(models_.size()));
        if (is_new) models_.push_back(model);
        return found->second;
    }

    WallTime zero_;
    std::size_t count_ = 0;
    std::string rows_;
    std::vector<std::string> models_;
    std::map<std::string, std::int64_t> numbers_;
};

Result<Timeline::Wish> Timeline::read(const http::Request& request) const {
    Wish wish{.limit = kUsual};
    const auto wrong = [](const std::string& key, const std::string& value, const std::string& rule) {
        return fail(Fault::invalid_input, fmt::format("{} is '{}', it must be {}", key, value, rule));
    };
    for (const auto& [key, value] : request.query) {
        if (key == "limit") {
            const auto limit = number_in<std::size_t>(value);
            if (!limit || *limit < 1 || *limit > kMostRows)
                return wrong(key, value, fmt::format("a whole number from 1 to {}", kMostRows));
            wish.limit = *limit;
        } else if (key == "from" || key == "to") {
            const auto time = number_in<double>(value);
            if (!time || !(*time >= 0 && *time < 1e11)) return wrong(key, value, "seconds since 1970");
            (key == "from" ? wish.from : wish.to) = static_cast<WallTime>(*time * 1e3);
        } else if (key == "after" || key == "before") {
            const std::size_t dash = value.find('-');
            const auto life = number_in<WallTime>(value.substr(0, dash));
            const auto number =
                dash == std::string::npos ? std::nullopt : number_in<std::uint64_t>(value.substr(dash + 1));
            if (!life || !number) return wrong(key, value, "what an earlier answer said as cursor or as earlier");
            const bool is_known =
                *life == life_ && (key == "before" || (*number >= log_first_ && *number <= end_of_log()));
            if (is_known) (key == "after" ? wish.after : wish.before) = *number;
            wish.is_reset = !is_known;
        } else {
            return fail(Fault::invalid_input, fmt::format("the timeline cannot be asked for '{}'", key));
        }
    }
    if (wish.after && wish.before) return fail(Fault::invalid_input, "say after or before, not both");
    return wish;
}

bool Timeline::is_shown(const Bar& bar, const Wish& wish) const {
    if (bar.withdrawn || (wish.to != 0 && bar.start >= wish.to)) return false;
    if (bar.end != 0) return bar.end >= wish.from;
    return world_.has_begun(bar.task);
}

http::Response Timeline::answer(const http::Request& request) {
    if (!recalled_) recall();
    const auto wish = read(request);
    if (!wish) return json_response(422, Json{{"error", wish.error().message}});
    const WallTime zero = bars_.empty() ? life_ : bars_.front().start;
    Writing writing(zero);
    std::uint64_t cursor = end_of_log();
    std::uint64_t earliest = first_;
    if (wish->after) {
        std::set<std::uint64_t> told;
        for (cursor = *wish->after; cursor < end_of_log() && writing.count() < wish->limit; ++cursor) {
            const std::uint64_t number = log_[cursor - log_first_];
            const Bar* bar = at(number);
            if (bar != nullptr && told.insert(number).second && is_shown(*bar, *wish)) writing.add(*bar);
        }
    } else {
        earliest = std::clamp(wish->before.value_or(end_of_bars()), first_, end_of_bars());
        for (; earliest > first_ && writing.count() < wish->limit; --earliest)
            if (const Bar& bar = bars_[earliest - 1 - first_]; is_shown(bar, *wish)) writing.add(bar);
    }
    const std::string earlier = earliest > first_ ? fmt::format("\"{}-{}\"", life_, earliest) : "null";
    std::string body = fmt::format(
        R"({{"cursor":"{}-{}","more":{},"reset":{},"earlier":{},"reaches_back_to":"{}","zero":"{}","models":{},"rows":[)",
        life_, cursor, cursor < end_of_log(), wish->is_reset, wish->after ? "null" : earlier, time_text(zero),
        time_text(zero), writing.models());
    body += writing.rows();
    body += "]}\n";
    return {200, std::move(body), "application/json", {}};
}

}  // namespace sy::server
