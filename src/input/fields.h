// Fields: reads a map's values into variables, each with its rule, and refuses keys nobody asked for.
//
//     Fields fields(document);
//     fields.share("loss", weather.loss);
//     fields.duration("delay", weather.delay, 0s, 1min);
//     if (auto error = fields.finish()) …
//
// A key that is absent leaves its variable alone. The first error in the order of the document wins, so that a user
// mends from top to bottom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "input/document.h"

namespace sy::input {

class Fields {
public:
    /// A document of nothing at all counts as an empty map.
    explicit Fields(const Document& document) : Fields(document.root, document.name) {}
    Fields(const Node& map, std::string document_name);

    void number(std::string_view key, std::uint32_t& target, std::uint32_t least, std::uint32_t most);
    /// A part of the whole, from 0 to 1.
    void share(std::string_view key, double& target);
    /// "250ms", "90s", "3min", "2h"; plain 0 as well.
    void duration(std::string_view key, Duration& target, Duration least, Duration most);
    /// The same, and 0 for never.
    void period(std::string_view key, Duration& target, Duration least, Duration most);

    /// The first thing wrong, an unknown key included.
    std::optional<Error> finish();

private:
    struct DurationRule {
        Duration least;
        Duration most;
        std::string_view or_else;  ///< What else is allowed, in words; empty for nothing else.
    };

    void read_duration(std::string_view key, Duration& target, const DurationRule& rule);
    const Node* value_of(std::string_view key);
    void refuse(const Node& value, std::string_view key, const std::string& rule);
    void note(const Mark& mark, const std::string& message, const std::string& fix);

    const Node& map_;
    std::string name_;
    std::vector<std::string_view> known_;
    std::optional<Mark> first_mark_;
    std::optional<Error> first_error_;
};

/// The known word most like `word`, where one is near enough to be meant.
std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& known);

/// Nothing where the text is not a number with one of the units ns us ms s min h, or does not fit.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace sy::input
