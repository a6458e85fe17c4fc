// YAML by events: yaml-cpp calls us for each thing it meets, and we build the tree ourselves. Its own tree would cost
// several times the memory and keep no place for keys. Anchors and aliases are refused: a few lines of them can stand
// for gigabytes. Its exceptions end in this file.
#include "input/yaml.h"

#include <algorithm>
#include <istream>
#include <streambuf>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace sy::input {

namespace {

/// What we refuse on our own account, on its way out of yaml-cpp's calls.
struct Refusal {
    Mark mark;
    std::string message;
    std::string fix;
};

/// yaml-cpp counts bytes from 0; people count characters from 1. Goes on from where it counted last, so that a document
/// in one long line costs no more than one in many.
class Ruler {
public:
    explicit Ruler(std::string_view text) : text_(text) {}

    Mark at(const YAML::Mark& mark) {
        const std::size_t end = std::min(to_size(mark.pos), text_.size());
        const std::size_t line_begin = end - std::min(to_size(mark.column), end);
        if (line_begin != line_begin_ || end < counted_) {
            line_begin_ = counted_ = line_begin;
            characters_ = 0;
        }
        for (; counted_ < end; ++counted_)
            if ((static_cast<unsigned char>(text_[counted_]) & 0xc0) != 0x80) ++characters_;
        return {to_size(mark.line) + 1, characters_ + 1};
    }

private:
    static std::size_t to_size(int n) { return static_cast<std::size_t>(std::max(n, 0)); }

    std::string_view text_;
    std::size_t line_begin_ = 0;
    std::size_t counted_ = 0;
    std::size_t characters_ = 0;
};

/// Whether the quoted text that begins here ends. yaml-cpp takes the end of the file for a closing quote.
bool quote_closes(std::string_view text) {
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            if (quote == '"' || text.substr(i + 1, 1) != "'") return true;
            ++i;  // '' stands for one quote
        }
    }
    return false;
}

class Builder final : public YAML::EventHandler {
public:
    explicit Builder(std::string_view text) : text_(text), ruler_(text) {}

    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
        place({Kind::nothing, at(mark), {}, {}, {}, false});
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
        check_tag(mark, tag);
        check_quote(mark);
        place({Kind::scalar, at(mark), value, {}, {}, tag == "!"});
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        check_tag(mark, tag);
        open({Kind::list, at(mark), {}, {}, {}, false});
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        check_tag(mark, tag);
        open({Kind::map, at(mark), {}, {}, {}, false});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        std::unordered_set<std::string> seen;  // asked, never walked
    };

    Mark at(const YAML::Mark& mark) { return ruler_.at(mark); }

    void check_tag(const YAML::Mark& mark, const std::string& tag) {
        if (tag.empty() || tag == "?" || tag == "!") return;  // none: plain or quoted
        throw Refusal{at(mark), fmt::format("the tag {} is not allowed", tag), "write the value without it"};
    }

    void check_quote(const YAML::Mark& mark) {
        const std::size_t begin = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
        const std::string_view rest = text_.substr(begin);
        if (rest.starts_with('"') || rest.starts_with('\''))
            if (!quote_closes(rest))
                throw Refusal{at(mark), "this quote is never closed", "close it where the text ends"};
    }

    [[noreturn]] void refuse_anchor(const YAML::Mark& mark) {
        throw Refusal{at(mark), "anchors (&) and aliases (*) are not allowed", "write the value out where it is used"};
    }

    void open(Node node) {
        if (open_.size() >= kDeepestNesting)
            throw Refusal{node.mark, fmt::format("nested deeper than {} levels, the limit", kDeepestNesting),
                          "flatten the document"};
        open_.push_back({std::move(node), {}});
    }

    void close() {
        Node node = std::move(open_.back().node);
        open_.pop_back();
        place(std::move(node));
    }

    void place(Node node) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        const bool is_key = parent.node.kind == Kind::map && parent.node.keys.size() == parent.node.items.size();
        if (is_key) {
            check_key(node, parent);
            parent.node.keys.push_back(std::move(node));
        } else {
            const bool is_empty_value = parent.node.kind == Kind::map && node.kind == Kind::nothing;
            if (is_empty_value) node.mark = parent.node.keys.back().mark;  // it has no place of its own
            parent.node.items.push_back(std::move(node));
        }
    }

    static void check_key(const Node& key, Open& parent) {
        if (key.kind != Kind::scalar) throw Refusal{key.mark, "a key must be a plain word", "write key: value"};
        if (!parent.seen.insert(key.text).second)
            throw Refusal{key.mark, fmt::format("the key '{}' stands here twice", key.text), "keep one of them"};
    }

    std::string_view text_;
    Ruler ruler_;
    Node root_;
    std::vector<Open> open_;
};

/// Lets yaml-cpp read from our text without copying it.
class ViewBuffer final : public std::streambuf {
public:
    explicit ViewBuffer(std::string_view text) {
        char* begin = const_cast<char*>(text.data());  // NOLINT: streambuf wants it so, and we only read
        setg(begin, begin, begin + text.size());
    }
};

}  // namespace

Result<Node> parse_yaml(std::string_view text, const std::string& name) {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    Builder builder(text);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        Builder second(text);
        if (parser.HandleNextDocument(second))
            return invalid_at(name, second.take().mark, "a second document begins here", "keep one document in a file");
    } catch (const Refusal& refusal) {
        return invalid_at(name, refusal.mark, refusal.message, refusal.fix);
    } catch (const YAML::Exception& e) {
        return invalid_at(name, Ruler(text).at(e.mark), "not valid YAML: " + e.msg,
                          "check indentation, brackets and quotes");
    }
    return builder.take();
}

}  // namespace sy::input
