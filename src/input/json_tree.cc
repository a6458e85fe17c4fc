#include "input/json_tree.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "input/decimal.h"

namespace sy::input {

namespace {

/// Up to so many keys it is quicker to look at each than to remember them.
constexpr std::size_t kFewKeys = 16;

bool is_in_number(char c) {
    return is_digit(c) || c == '.' || c == '+' || c == '-' || c == 'e' || c == 'E';
}

bool has_twice(const std::vector<Node>& keys) {
    if (keys.size() <= kFewKeys) {
        for (std::size_t i = 1; i < keys.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (keys[i].text == keys[j].text) return true;
        return false;
    }
    std::unordered_set<std::string_view> seen;  // asked, never walked
    return !std::all_of(keys.begin(), keys.end(), [&](const Node& key) { return seen.insert(key.text).second; });
}

/// Each step reads one thing and leaves `at_` behind it; false where it is not there.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::optional<Node> read() {
        Node root;
        pass_space();
        if (peek() != '{' && peek() != '[') return {};
        if (!read_value(root, 1)) return {};
        pass_space();
        if (at_ != text_.size()) return {};
        return root;
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void pass_space() {
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\n') {
                ++line_;
                begin_ = at_ + 1;
                extra_ = 0;
            } else if (text_[at_] != ' ') {
                return;
            }
        }
    }

    /// Columns count characters; extra_ are the bytes of this line that begin none.
    Mark here() const { return {line_, at_ - begin_ - extra_ + 1}; }

    bool read_value(Node& node, std::size_t depth) {
        node.mark = here();
        switch (peek()) {
            case '{': return depth <= kDeepestNesting && read_map(node, depth);
            case '[': return depth <= kDeepestNesting && read_list(node, depth);
            case '"': return read_text(node);
            case 't': return read_word(node, "true");
            case 'f': return read_word(node, "false");
            case 'n': return read_word(node, "null");
            default: return read_number(node);
        }
    }

    bool read_text(Node& node) {
        const std::size_t begin = ++at_;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            const auto byte = static_cast<unsigned char>(text_[at_]);
            if (byte == '\\' || byte < 0x20) return false;
            if ((byte & 0xc0U) == 0x80) ++extra_;
        }
        if (at_ == text_.size()) return false;
        node.kind = Kind::scalar;
        node.quoted = true;
        node.text = text_.substr(begin, at_ - begin);
        ++at_;
        return true;
    }

    bool read_word(Node& node, std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        if (word == "null") return ends_here();
        node.kind = Kind::scalar;
        node.text = word;
        return ends_here();
    }

    bool read_number(Node& node) {
        const std::size_t begin = at_;
        if (peek() == '-') ++at_;
        if (!is_digit(peek())) return false;
        while (is_in_number(peek())) ++at_;
        node.kind = Kind::scalar;
        node.text = text_.substr(begin, at_ - begin);
        return ends_here();
    }

    bool ends_here() const {
        const char next = peek();
        return next == ',' || next == '}' || next == ']' || next == ' ' || next == '\n';
    }

    bool read_list(Node& node, std::size_t depth) {
        node.kind = Kind::list;
        ++at_;
        pass_space();
        if (peek() == ']') return pass(']');
        do {
            pass_space();
            if (!read_value(node.items.emplace_back(), depth + 1)) return false;
            pass_space();
        } while (pass(','));
        return pass(']');
    }

    bool read_map(Node& node, std::size_t depth) {
        node.kind = Kind::map;
        ++at_;
        pass_space();
        if (peek() == '}') return pass('}');
        do {
            pass_space();
            Node& key = node.keys.emplace_back();
            key.mark = here();
            if (peek() != '"' || !read_text(key)) return false;
            if (!pass(':')) return false;
            pass_space();
            Node& value = node.items.emplace_back();
            if (!read_value(value, depth + 1)) return false;
            if (value.kind == Kind::nothing) value.mark = key.mark;
            pass_space();
        } while (pass(','));
        return pass('}') && !has_twice(node.keys);
    }

    bool pass(char expected) {
        if (peek() != expected) return false;
        ++at_;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t begin_ = 0;
    std::size_t extra_ = 0;
};

}  // namespace

std::optional<Node> parse_plain_json(std::string_view text) {
    return Reader(text).read();
}

}  // namespace sy::input
