#include "input/words.h"

#include <gtest/gtest.h>

namespace sy::input {
namespace {

using Words = std::vector<std::string>;

TEST(Words, QuotesHoldWordsTogether) {
    EXPECT_EQ(*split_words("  llama-server --port 1  -m 'a b.gguf' "),
              (Words{"llama-server", "--port", "1", "-m", "a b.gguf"}));
    EXPECT_EQ(*split_words(R"(a "b \"c\" \d" e"f"'g' '' h\ i)"), (Words{"a", R"(b "c" \d)", "efg", "", "h i"}));
    EXPECT_EQ(*split_words(R"(--override 'tensor={"a": "x"}')"), (Words{"--override", R"(tensor={"a": "x"})"}));
}

TEST(Words, ACommandMaySpanLinesAndHaveComments) {
    EXPECT_EQ(*split_words("# what it is\nserver \\\n  --port 1 \\\r\n  # not this\n  --jinja\n"),
              (Words{"server", "--port", "1", "--jinja"}));
    EXPECT_EQ(*split_words("a b#c # d"), (Words{"a", "b#c", "#", "d"})) << "only whole lines are comments";
}

TEST(Words, NothingOfAShellIsDone) {
    EXPECT_EQ(*split_words("echo $HOME *.gguf | cat > x; `y`"),
              (Words{"echo", "$HOME", "*.gguf", "|", "cat", ">", "x;", "`y`"}));
}

TEST(Words, AQuoteThatIsNeverClosedIsRefused) {
    EXPECT_EQ(split_words("a 'b").error().message, "a quote is never closed");
    EXPECT_EQ(split_words("a \"b\\\"").error().message, "a quote is never closed");
    EXPECT_TRUE(split_words("")->empty());
    EXPECT_TRUE(split_words(" # nothing\n")->empty());
}

}  // namespace
}  // namespace sy::input
