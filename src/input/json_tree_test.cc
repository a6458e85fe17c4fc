#include "input/json_tree.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "input/yaml.h"

namespace sy::input {
namespace {

/// Everything a node says, so that trees can be compared.
std::string told(const Node& node) {
    std::string out = fmt::format("{}@{}:{}'{}'{}", static_cast<int>(node.kind), node.mark.line, node.mark.column,
                                  node.text, node.quoted ? "q" : "");
    for (const Node& key : node.keys) out += " k" + told(key);
    for (const Node& item : node.items) out += " (" + told(item) + ")";
    return out;
}

class Drawn {
public:
    explicit Drawn(Random& random) : random_(random) {}

    std::string value(std::size_t depth) {
        switch (random_.below(depth > 3 ? 5 : 7)) {
            case 0: return fmt::format("{}", random_.between(-1'000, 1'000));
            case 1: return pick({"0.25", "-1.5e3", "1E+2", "12345678901234567890"});
            case 2: return pick({"true", "false", "null"});
            case 3:
                return pick({R"("")", R"("a b")", R"("ä€𝄞")", R"("null")", R"("#x: [y], {z}")", R"("it's")", R"("1")"});
            case 4: return depth == 0 ? "[]" : pick({"[]", "{}", "[ ]", "{ }"});
            case 5: return list(depth);
            default: return map(depth);
        }
    }
    std::string list(std::size_t depth) {
        std::string out = "[" + space();
        for (std::size_t i = random_.below(4) + 1; i > 0; --i)
            out += value(depth + 1) + space() + (i == 1 ? "" : "," + space());
        return out + "]";
    }
    std::string map(std::size_t depth) {
        std::string out = "{" + space();
        for (std::size_t i = random_.below(4) + 1; i > 0; --i)
            out += fmt::format(R"("kä{}": )", i) + space() + value(depth + 1) + space() + (i == 1 ? "" : "," + space());
        return out + "}";
    }

private:
    std::string pick(std::initializer_list<const char*> from) { return *(from.begin() + random_.below(from.size())); }
    std::string space() { return pick({"", "", " ", "\n  ", "\n\n "}); }

    Random& random_;
};

TEST(JsonTree, IsTheTreeThatYamlGives) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::string text = Drawn(random).map(0) + "\n";
        const auto plain = parse_plain_json(text);
        const auto yaml = parse_yaml(text, "y");
        ASSERT_TRUE(plain && yaml) << text;
        EXPECT_EQ(told(*plain), told(*yaml)) << text;
    }
}

TEST(JsonTree, LeavesToYamlWhatIsNotPlainJson) {
    for (const char* text : {"",
                             "a: 1",
                             "{a: 1}",
                             R"({"a": 1} x)",
                             R"({"a": 1, "a": 2})",
                             R"({"a": "\n"})",
                             R"({"a": 1,})",
                             R"({"a" 1})",
                             R"({"a": 1)",
                             R"(["a)",
                             R"(["a])",
                             "[1, 2",
                             "[1 2]",
                             "[tru]",
                             "[nullx]",
                             "[-]",
                             "[+1]",
                             "[.5]",
                             "[0x1]",
                             "12",
                             "\"text\"",
                             "[1]\t",
                             "{\"a\":\t1}",
                             "[,]",
                             "[1,,2]",
                             "[&a 1]",
                             "[1] # so"})
        EXPECT_FALSE(parse_plain_json(text)) << text;
}

TEST(JsonTree, NestsAsDeepAsDocumentsMayAndNoDeeper) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(parse_plain_json(nested(kDeepestNesting)));
    EXPECT_FALSE(parse_plain_json(nested(kDeepestNesting + 1)));
    EXPECT_TRUE(parse_yaml(nested(kDeepestNesting), "y"));
    EXPECT_FALSE(parse_yaml(nested(kDeepestNesting + 1), "y"));
}

TEST(JsonTree, FindsAKeyThatStandsTwiceAmongMany) {
    std::string text = "{";
    for (int i = 0; i < 100; ++i) text += fmt::format(R"("{}": 1, )", i);
    EXPECT_TRUE(parse_plain_json(text + R"("x": 1})"));
    EXPECT_FALSE(parse_plain_json(text + R"("42": 1})"));
}

}  // namespace
}  // namespace sy::input
