// YAML by events: yaml-cpp calls us for each thing it meets, and we build the tree ourselves. Its own tree would cost
// several times the memory and keep no place for keys. Anchors and aliases are refused: a few lines of them can stand
// for gigabytes. Its exceptions end in this file.
#include "input/yaml.h"

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

Mark to_mark(const YAML::Mark& mark) {
    return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}

class Builder final : public YAML::EventHandler {
public:
    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { place({Kind::nothing, to_mark(mark), {}, {}, {}}); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark); }
    void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_anchor(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
        place({Kind::scalar, to_mark(mark), value, {}, {}});
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open({Kind::list, to_mark(mark), {}, {}, {}});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
        open({Kind::map, to_mark(mark), {}, {}, {}});
    }
    void OnMapEnd() override { close(); }

private:
    struct Open {
        Node node;
        std::unordered_set<std::string> seen;  // asked, never walked
    };

    [[noreturn]] static void refuse_anchor(const YAML::Mark& mark) {
        throw Refusal{to_mark(mark), "anchors (&) and aliases (*) are not allowed",
                      "write the value out where it is used"};
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
            parent.node.items.push_back(std::move(node));
        }
    }

    static void check_key(const Node& key, Open& parent) {
        if (key.kind != Kind::scalar) throw Refusal{key.mark, "a key must be a plain word", "write key: value"};
        if (!parent.seen.insert(key.text).second)
            throw Refusal{key.mark, fmt::format("the key '{}' stands here twice", key.text), "keep one of them"};
    }

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
    Builder builder;
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        Builder second;
        if (parser.HandleNextDocument(second))
            return invalid_at(name, second.take().mark, "a second document begins here", "keep one document in a file");
    } catch (const Refusal& refusal) {
        return invalid_at(name, refusal.mark, refusal.message, refusal.fix);
    } catch (const YAML::Exception& e) {
        return invalid_at(name, to_mark(e.mark), "not valid YAML: " + e.msg, "check indentation, brackets and quotes");
    }
    return builder.take();
}

}  // namespace sy::input
