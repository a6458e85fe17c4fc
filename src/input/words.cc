#include "input/words.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sy::input {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class Splitter {
public:
    explicit Splitter(std::string_view text) : text_(text) {}

    Result<std::vector<std::string>> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (kBlanks.find(c) != std::string_view::npos) {
                end_word();
            } else if (c == '\\') {
                take_escaped();
            } else if (c == '\'' || c == '"') {
                if (!take_quoted(c)) return fail(Fault::invalid_input, "a quote is never closed", "close it");
            } else {
                word() += c;
            }
        }
        end_word();
        return std::move(words_);
    }

private:
    std::string& word() { return word_ ? *word_ : word_.emplace(); }

    void end_word() {
        if (word_) words_.push_back(std::move(*word_));
        word_.reset();
    }

    /// A line that ends in one goes on in the next.
    void take_escaped() {
        if (text_.substr(at_).starts_with("\r\n")) ++at_;
        if (at_ >= text_.size()) return;
        const char c = text_[at_++];
        if (c == '\n') return end_word();
        word() += c;
    }

    bool take_quoted(char quote) {
        for (word(); at_ < text_.size();) {
            const char c = text_[at_++];
            if (c == quote) return true;
            const bool escapes = c == '\\' && quote == '"' && at_ < text_.size() &&
                                 std::string_view("\"\\$`").find(text_[at_]) != std::string_view::npos;
            word() += escapes ? text_[at_++] : c;
        }
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<std::string> word_;  ///< The one that has begun.
    std::vector<std::string> words_;
};

}  // namespace

std::string without_comments(std::string_view text) {
    std::string kept;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t first = line.find_first_not_of(kBlanks);
        if (first == std::string_view::npos || line[first] != '#') kept.append(line).push_back('\n');
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return kept;
}

Result<std::vector<std::string>> split_words(std::string_view text) {
    const std::string kept = without_comments(text);
    return Splitter(kept).run();
}

}  // namespace sy::input
