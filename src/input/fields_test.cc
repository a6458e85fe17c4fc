#include "input/fields.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

constexpr std::size_t kLongestShown = 40;

struct Form {
    std::uint32_t nodes = 7;
    double loss = 0.5;
    Duration delay = 1s;
    Duration outage_every = 1min;
};

std::optional<Error> read_into(Form& form, std::string_view text) {
    const auto document = parse_document(text, "f");
    EXPECT_TRUE(document.has_value()) << document.error().message;
    Fields fields(*document);
    fields.number("nodes", form.nodes, 2, 100);
    fields.share("loss", form.loss);
    fields.duration("delay", form.delay, 10ms, 1min);
    fields.period("outage_every", form.outage_every, 5s, 24h);
    return fields.finish();
}

/// What the form holds after reading text that must be right.
Form accepted(std::string_view text) {
    Form form;
    const auto error = read_into(form, text);
    EXPECT_FALSE(error.has_value()) << error->message;
    return form;
}

/// What is wrong with the text.
std::string refusal(std::string_view text) {
    Form form;
    const auto error = read_into(form, text);
    return error ? error->message : "accepted";
}

std::string fix_for(std::string_view text) {
    Form form;
    const auto error = read_into(form, text);
    return error ? error->fix : "accepted";
}

TEST(Fields, AbsentKeyLeavesItsVariableAlone) {
    for (const char* text : {"", "{}", "# nothing\n"}) {
        const Form form = accepted(text);
        EXPECT_EQ(form.nodes, 7U);
        EXPECT_EQ(form.loss, 0.5);
        EXPECT_EQ(form.delay, 1s);
        EXPECT_EQ(form.outage_every, 1min);
    }
}

TEST(Fields, NumberIsTakenAtItsLimitsAndNotOnePast) {
    EXPECT_EQ(accepted("nodes: 2").nodes, 2U);
    EXPECT_EQ(accepted("nodes: 100").nodes, 100U);
    EXPECT_EQ(refusal("nodes: 1"), "f:1:8: nodes is '1', it must be a whole number from 2 to 100");
    EXPECT_EQ(refusal("nodes: 101"), "f:1:8: nodes is '101', it must be a whole number from 2 to 100");
    for (const char* bad : {"-2", "+2", "2.0", "0x10", "two", "4294967298", "99999999999999999999", "''", "'2 '"})
        EXPECT_NE(refusal(std::string("nodes: ") + bad), "accepted") << bad;
}

TEST(Fields, ShareIsTakenFromZeroToOne) {
    EXPECT_EQ(accepted("loss: 0").loss, 0);
    EXPECT_EQ(accepted("loss: 1").loss, 1);
    EXPECT_EQ(accepted("loss: 2.5e-1").loss, 0.25);
    EXPECT_EQ(refusal("loss: 1.0001"), "f:1:7: loss is '1.0001', it must be a number from 0 to 1");
    for (const char* bad : {"-0.0001", "nan", "inf", "1e999", "50%", ".", "0,5"})
        EXPECT_NE(refusal(std::string("loss: ") + bad), "accepted") << bad;
}

TEST(Fields, DurationIsTakenAtItsLimitsAndNotOnePast) {
    EXPECT_EQ(accepted("delay: 10ms").delay, 10ms);
    EXPECT_EQ(accepted("delay: 60s").delay, 1min);
    EXPECT_EQ(refusal("delay: 9999999ns"),
              "f:1:8: delay is '9999999ns', it must be a duration from 10ms to 1min, such as 250ms, 90s, 3min or 2h");
    EXPECT_NE(refusal("delay: 60000000001ns"), "accepted");
    EXPECT_NE(refusal("delay: 0"), "accepted");
    EXPECT_NE(refusal("delay: 5"), "accepted");
}

TEST(Fields, PeriodIsADurationOrNever) {
    EXPECT_EQ(accepted("outage_every: 0").outage_every, Duration::zero());
    EXPECT_EQ(accepted("outage_every: 5s").outage_every, 5s);
    EXPECT_EQ(accepted("outage_every: 24h").outage_every, 24h);
    EXPECT_NE(refusal("outage_every: 4s"), "accepted");
    EXPECT_NE(refusal("outage_every: 25h"), "accepted");
}

TEST(Fields, RefusedValueLeavesItsVariableAlone) {
    Form form;
    EXPECT_TRUE(read_into(form, "{nodes: 1, loss: 2, delay: 2h, outage_every: 1s}"));
    EXPECT_EQ(form.nodes, 7U);
    EXPECT_EQ(form.loss, 0.5);
    EXPECT_EQ(form.delay, 1s);
    EXPECT_EQ(form.outage_every, 1min);
}

TEST(Fields, WrongKindIsNamed) {
    EXPECT_EQ(refusal("nodes: [1, 2]"), "f:1:8: nodes is a list, it must be a whole number from 2 to 100");
    EXPECT_EQ(refusal("loss: {a: 1}"), "f:1:7: loss is a map, it must be a number from 0 to 1");
    EXPECT_NE(refusal("loss: ~").find("loss is empty"), std::string::npos);
    EXPECT_NE(refusal("delay: [5s]").find("delay is a list"), std::string::npos);
    EXPECT_NE(refusal("outage_every: []").find("outage_every is a list"), std::string::npos);
}

TEST(Fields, DocumentThatIsNoMapIsRefused) {
    EXPECT_EQ(refusal("- nodes\n- loss\n"), "f:1:1: the document is a list, it must be a map");
    EXPECT_EQ(refusal("nodes"), "f:1:1: the document is 'nodes', it must be a map");
}

TEST(Fields, UnknownKeyIsRefusedWithTheWordThatWasMeant) {
    EXPECT_EQ(refusal("loss: 0\nnode: 3\n"), "f:2:1: unknown key 'node'");
    EXPECT_EQ(fix_for("node: 3"), "did you mean nodes?");
    EXPECT_EQ(fix_for("outage_evry: 0"), "did you mean outage_every?");
    EXPECT_EQ(fix_for("outage_every: 5s\ncolour: red"), "known keys: nodes, loss, delay, outage_every");
}

TEST(Fields, FirstErrorInTheDocumentWins) {
    EXPECT_EQ(refusal("delay: 2h\nnodes: 1\ncolour: red\n").substr(0, 6), "f:1:8:");
    EXPECT_EQ(refusal("nodes: 3\ncolour: red\nloss: 7\n").substr(0, 6), "f:2:1:");
    EXPECT_EQ(refusal("{loss: 7, nodes: 1}").substr(0, 6), "f:1:8:");
}

TEST(Fields, LongValueIsShownInPart) {
    EXPECT_NE(refusal("nodes: " + std::string(kLongestShown, 'x')).find(std::string(kLongestShown, 'x') + "',"),
              std::string::npos);
    EXPECT_NE(refusal("nodes: " + std::string(kLongestShown + 1, 'x')).find(std::string(kLongestShown, 'x') + "…',"),
              std::string::npos);
}

TEST(Fields, LongValueIsCutBetweenCharacters) {
    const std::string message = refusal("nodes: " + std::string(kLongestShown - 1, 'x') + "öö");
    EXPECT_TRUE(message.find("xö…") != std::string::npos || message.find("x…") != std::string::npos) << message;
}

TEST(ParseDuration, NumberWithAUnitIsADuration) {
    const std::vector<std::pair<std::string_view, Duration>> table{
        {"0", 0s},    {"0s", 0s},     {"1ns", 1ns}, {"20us", 20us},         {"250ms", 250ms},
        {"90s", 90s}, {"3min", 3min}, {"2h", 2h},   {"2562047h", 2562047h}, {"9223372036854775807ns", Duration::max()}};
    for (const auto& [text, duration] : table) EXPECT_EQ(parse_duration(text), duration) << text;
}

TEST(ParseDuration, AnythingElseIsNothing) {
    for (const char* text :
         {"", "5", "s", "min", "-1s", "+1s", "1.5s", "1e3s", " 1s", "1s ", "1 s", "1S", "1m", "1d", "1h30min",
          "2562048h", "9223372036854775808ns", "99999999999999h", "99999999999999999999s"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << "'" << text << "'";
}

TEST(NearestWord, OneSlipInAShortWordIsForgiven) {
    EXPECT_EQ(nearest_word("los", {"delay", "loss"}), "loss");
    EXPECT_EQ(nearest_word("lost", {"delay", "loss"}), "loss");
    EXPECT_EQ(nearest_word("lats", {"delay", "loss"}), std::nullopt);
    EXPECT_EQ(nearest_word("loss", {}), std::nullopt);
}

TEST(NearestWord, LongWordsForgiveAThirdOfTheirLetters) {
    EXPECT_EQ(nearest_word("abcdefxxx", {"abcdefghi"}), "abcdefghi");
    EXPECT_EQ(nearest_word("abcdexxxx", {"abcdefghi"}), std::nullopt);
    EXPECT_EQ(nearest_word(std::string(64, 'a'), {std::string(64, 'a')}), std::string(64, 'a'));
    EXPECT_EQ(nearest_word(std::string(65, 'a'), {std::string(65, 'a')}), std::nullopt);
}

TEST(NearestWord, NearestOfSeveralWinsAndTiesGoToTheFirst) {
    EXPECT_EQ(nearest_word("outage", {"outages", "outage"}), "outage");
    EXPECT_EQ(nearest_word("bat", {"cat", "hat"}), "cat");
}

}  // namespace
}  // namespace sy::input
