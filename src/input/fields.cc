#include "input/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "input/reading.h"

namespace sy::input {

namespace {

std::string with_unit(Duration d) {
    using Unit = std::pair<Duration, const char*>;
    for (const auto& [unit, name] : {Unit{1h, "h"}, Unit{1min, "min"}, Unit{1s, "s"}, Unit{1ms, "ms"}, Unit{1us, "us"}})
        if (d >= unit && d % unit == Duration::zero()) return fmt::format("{}{}", d / unit, name);
    return d == Duration::zero() ? "0" : fmt::format("{}ns", d.count());
}

/// Letters to change, add or drop to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

bool stands_before(const Mark& a, const Mark& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& known) {
    constexpr std::size_t kLongest = 64;
    if (word.size() > kLongest) return std::nullopt;
    std::optional<std::string_view> nearest;
    std::size_t least = 1 + std::max<std::size_t>(word.size() / 3, 1);
    for (const std::string_view candidate : known) {
        const std::size_t d = distance(word, candidate);
        if (d >= least) continue;
        least = d;
        nearest = candidate;
    }
    return nearest;
}

std::optional<Duration> parse_duration(std::string_view text) {
    if (text == "0") return Duration::zero();
    using Unit = std::pair<std::string_view, Duration>;
    for (const auto& [suffix, unit] : std::array{Unit{"ns", 1ns}, Unit{"us", 1us}, Unit{"ms", 1ms}, Unit{"min", 1min},
                                                 Unit{"s", 1s}, Unit{"h", 1h}}) {
        if (!text.ends_with(suffix)) continue;
        const auto count = parse_number<std::int64_t>(text.substr(0, text.size() - suffix.size()));
        if (!count || *count < 0 || *count > Duration::max() / unit) return std::nullopt;
        return *count * unit;
    }
    return std::nullopt;
}

Fields::Fields(const Node& map, std::string document_name) : map_(map), name_(std::move(document_name)) {
    if (map.kind == Kind::list || map.kind == Kind::scalar)
        note(map.mark, fmt::format("the document is {}, it must be a map", shown(map)), "write key: value, one a line");
}

void Fields::number(std::string_view key, std::uint32_t& target, std::uint32_t least, std::uint32_t most) {
    const Node* value = value_of(key);
    if (value == nullptr) return;
    const auto number = value->kind == Kind::scalar ? parse_number<std::uint32_t>(value->text) : std::nullopt;
    if (!number || *number < least || *number > most)
        return refuse(*value, key, fmt::format("a whole number from {} to {}", least, most));
    target = *number;
}

void Fields::share(std::string_view key, double& target) {
    const Node* value = value_of(key);
    if (value == nullptr) return;
    const auto number = value->kind == Kind::scalar ? parse_number<double>(value->text) : std::nullopt;
    if (!number || !(*number >= 0 && *number <= 1)) return refuse(*value, key, "a number from 0 to 1");
    target = *number;
}

void Fields::duration(std::string_view key, Duration& target, Duration least, Duration most) {
    read_duration(key, target, {least, most, ""});
}

void Fields::period(std::string_view key, Duration& target, Duration least, Duration most) {
    read_duration(key, target, {least, most, "0 for never, or "});
}

void Fields::read_duration(std::string_view key, Duration& target, const DurationRule& rule) {
    const Node* value = value_of(key);
    if (value == nullptr) return;
    const auto parsed = value->kind == Kind::scalar ? parse_duration(value->text) : std::nullopt;
    const bool is_never = parsed == Duration::zero() && !rule.or_else.empty();
    if (!parsed || (!is_never && (*parsed < rule.least || *parsed > rule.most)))
        return refuse(*value, key,
                      fmt::format("{}a duration from {} to {}, such as 250ms, 90s, 3min or 2h", rule.or_else,
                                  with_unit(rule.least), with_unit(rule.most)));
    target = *parsed;
}

std::optional<Error> Fields::finish() {
    for (const Node& key : map_.keys) {
        if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
        const auto meant = nearest_word(key.text, known_);
        note(key.mark, fmt::format("unknown key {}", shown(key)),
             meant ? fmt::format("did you mean {}?", *meant) : fmt::format("known keys: {}", fmt::join(known_, ", ")));
    }
    return first_error_;
}

const Node* Fields::value_of(std::string_view key) {
    known_.push_back(key);
    for (std::size_t i = 0; i < map_.keys.size(); ++i)
        if (map_.keys[i].text == key) return &map_.items[i];
    return nullptr;
}

void Fields::refuse(const Node& value, std::string_view key, const std::string& rule) {
    note(value.mark, fmt::format("{} is {}, it must be {}", key, shown(value), rule), "write " + rule);
}

void Fields::note(const Mark& mark, const std::string& message, const std::string& fix) {
    if (first_mark_ && !stands_before(mark, *first_mark_)) return;
    first_mark_ = mark;
    first_error_ = invalid_at(name_, mark, message, fix).value();
}

}  // namespace sy::input
