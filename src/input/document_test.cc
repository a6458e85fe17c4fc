#include "input/document.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Node parsed(std::string_view text) {
    const auto document = parse_document(text, "f.yaml");
    EXPECT_TRUE(document.has_value()) << document.error().message;
    return document ? document->root : Node{};
}

/// The message of the refusal.
std::string refusal(std::string_view text) {
    const auto document = parse_document(text, "f.yaml");
    return document ? "accepted" : document.error().message;
}

/// "line:column" of the refusal.
std::string refused_at(std::string_view text) {
    const std::string message = refusal(text);
    return message.starts_with("f.yaml:") ? message.substr(7, message.find(": ") - 7) : message;
}

std::string mark(const Node& node) {
    return std::to_string(node.mark.line) + ":" + std::to_string(node.mark.column);
}

/// The tree without its marks, on one line.
std::string shape(const Node& node) {
    if (node.kind == Kind::nothing) return "nothing";
    if (node.kind == Kind::scalar) return "'" + node.text + "'";
    std::string inside;
    for (std::size_t i = 0; i < node.items.size(); ++i)
        inside += (i < node.keys.size() ? node.keys[i].text + "=" : "") + shape(node.items[i]) + " ";
    return node.kind == Kind::list ? "[ " + inside + "]" : "{ " + inside + "}";
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "x";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
}

std::string nested_block_maps(std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += std::string(i, ' ') + "a:\n";
    return text;
}

TEST(Document, YamlAndJsonGiveTheSameTree) {
    const char* yaml = "name: storm\nnodes:\n  - gpus: 8\n    spare:\n  - small\nempty: []\n";
    const char* json = R"({"name": "storm", "nodes": [{"gpus": 8, "spare": null}, "small"], "empty": []})";
    EXPECT_EQ(shape(parsed(yaml)), "{ name='storm' nodes=[ { gpus='8' spare=nothing } 'small' ] empty=[ ] }");
    EXPECT_EQ(shape(parsed(json)), shape(parsed(yaml)));
}

TEST(Document, EverythingKnowsItsLineAndColumn) {
    const Node root = parsed("a: 1\nb:\n  - x\n  - y: 2\n");
    EXPECT_EQ(mark(root.keys[1]), "2:1");
    EXPECT_EQ(mark(root.items[0]), "1:4");
    EXPECT_EQ(mark(root.items[1]), "3:3");
    EXPECT_EQ(mark(root.items[1].items[0]), "3:5");
    EXPECT_EQ(mark(root.items[1].items[1].items[0]), "4:8");
}

TEST(Document, EmptyValueStandsBehindItsKey) {
    const Node root = parsed("a:\nb: 2\n");
    ASSERT_EQ(root.items[0].kind, Kind::nothing);
    EXPECT_EQ(root.items[0].mark.line, 1U);
}

TEST(Document, ColumnsCountCharactersNotBytes) {
    EXPECT_EQ(mark(parsed("{o: 1, b: 2}").keys[1]), "1:8");
    EXPECT_EQ(mark(parsed("{ö: 1, b: 2}").keys[1]), "1:8");
}

TEST(Document, TextWithoutContentIsNothing) {
    for (const char* text : {"", "\n", "   \n", "# only a remark\n", "---\n", "~", "null"})
        EXPECT_EQ(parsed(text).kind, Kind::nothing) << "'" << text << "'";
    EXPECT_EQ(parsed("\"\"").kind, Kind::scalar);
}

TEST(Document, ControlBytesAreRefusedWhereTheyStand) {
    EXPECT_EQ(refusal(std::string("a: 1\nb: x\0y", 11)), "f.yaml:2:5: byte 0x00 does not belong in a text file");
    EXPECT_EQ(refused_at("a: \x1b"), "1:4");
    EXPECT_EQ(refused_at("a: \x7f"), "1:4");
    EXPECT_EQ(shape(parsed("a: 1 # tab:\t\r\nb: 2\r\n")), "{ a='1' b='2' }");
}

TEST(Document, BrokenUtf8IsRefusedWhereItStands) {
    EXPECT_EQ(refusal("a: 1\nb: \xff"), "f.yaml:2:4: byte 0xff does not belong in a text file");
    EXPECT_EQ(refused_at("ab\x80"), "1:3") << "continuation without a start";
    EXPECT_EQ(refused_at("ab\xc3"), "1:3") << "cut at the end";
    EXPECT_EQ(refused_at("ö\xe2\x82z"), "1:2") << "cut in the middle";
    EXPECT_EQ(refused_at("a: \xc0\xaf"), "1:4") << "two bytes for what takes one";
    EXPECT_EQ(shape(parsed("ä: €𝄞")), "{ ä='€𝄞' }");
}

TEST(Document, Utf8ThatNamesNoCharacterIsRefused) {
    EXPECT_EQ(refused_at("a: \xe0\x80\xaf"), "1:4") << "three bytes for what takes one";
    EXPECT_EQ(refused_at("a: \xf0\x80\x80\xaf"), "1:4") << "four bytes for what takes one";
    EXPECT_EQ(refused_at("a: \xed\xa0\x80"), "1:4") << "half of a UTF-16 pair";
    EXPECT_EQ(refused_at("a: \xf4\x90\x80\x80"), "1:4") << "past U+10FFFF";
}

TEST(Document, KeyThatStandsTwiceIsRefused) {
    EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: the key 'a' stands here twice");
    EXPECT_EQ(refused_at("{\"a\": 1, 'a': 1}"), "1:10");
    EXPECT_EQ(shape(parsed("a: {a: 1}\nb: {a: 1}\n")), "{ a={ a='1' } b={ a='1' } }");
}

TEST(Document, KeyThatIsNoWordIsRefused) {
    EXPECT_EQ(refusal("? [a]\n: b\n"), "f.yaml:1:3: a key must be a plain word");
}

TEST(Document, AnchorsAndAliasesAreRefused) {
    EXPECT_EQ(refusal("a: &x 1\nb: *x\n"), "f.yaml:1:4: anchors (&) and aliases (*) are not allowed");
    EXPECT_EQ(refused_at("- 1\n- &list [1, 2]\n"), "2:3");
    EXPECT_EQ(refused_at("a: *nowhere\n"), "1:4");
    EXPECT_EQ(shape(parsed("a: '&x'\nb: \"*x\"\n")), "{ a='&x' b='*x' }");
}

TEST(Document, TagsAreRefused) {
    EXPECT_EQ(refused_at("a: !!binary aGk=\n"), "1:4");
    EXPECT_EQ(refused_at("a: !secret x\n"), "1:4");
}

TEST(Document, SecondDocumentIsRefused) {
    EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"), "f.yaml:3:1: a second document begins here");
    EXPECT_EQ(shape(parsed("---\na: 1\n...\n")), "{ a='1' }");
}

TEST(Document, BrokenYamlIsRefusedWithItsPlace) {
    EXPECT_EQ(refused_at("a: 1\nb: [1, 2\n"), "3:1");
    EXPECT_EQ(refused_at("a: b: c\n"), "1:5");
    EXPECT_EQ(refused_at("a: 1\n@\n"), "2:1");
}

TEST(Document, QuoteThatIsNeverClosedIsRefused) {
    for (const char* text : {"a: 'open", "a: 'open\n", "a: \"open\n", "a: \"open\nb: 2\n", "'open\n"})
        EXPECT_TRUE(refusal(text).starts_with("f.yaml:")) << text;
}

TEST(Document, NestingIsTakenUpToTheLimitAndNotOneFurther) {
    EXPECT_NE(refusal(nested(kDeepestNesting + 1, "[", "]")).find("nested deeper than 64 levels"), std::string::npos);
    for (const auto& [open, close] : {std::pair{"[", "]"}, {"{a: ", "}"}, {"- ", ""}}) {
        EXPECT_EQ(refusal(nested(kDeepestNesting, open, close)), "accepted") << open;
        const std::size_t column = 1 + kDeepestNesting * std::string_view(open).size();
        EXPECT_EQ(refused_at(nested(kDeepestNesting + 1, open, close)), "1:" + std::to_string(column)) << open;
    }
    EXPECT_EQ(refusal(nested_block_maps(kDeepestNesting)), "accepted");
    EXPECT_EQ(refused_at(nested_block_maps(kDeepestNesting + 1)), "65:65");
    EXPECT_EQ(refused_at(nested(100'000, "[", "]")), "1:65");
}

TEST(Document, FileIsReadAndNamesItself) {
    const std::string path = testing::TempDir() + "switchyard_document_test.yaml";
    std::ofstream(path) << "a: 1\na: 2\n";
    EXPECT_EQ(read_document(path).error().message, path + ":2:1: the key 'a' stands here twice");
    std::ofstream(path) << "a: 1\n";
    EXPECT_EQ(shape(read_document(path)->root), "{ a='1' }");
    std::remove(path.c_str());
}

TEST(Document, MissingFileAndFolderAreRefusedByName) {
    const std::string missing = testing::TempDir() + "there_is_no_such_file.yaml";
    EXPECT_EQ(read_document(missing).error().message, missing + ": cannot be opened: No such file or directory");
    EXPECT_EQ(read_document("/").error().message, "/: cannot be read: Is a directory");
    EXPECT_EQ(read_document("/").error().fault, Fault::invalid_input);
}

TEST(Document, AMegabyteInOneLineTakesNoLongerThanInMany) {
    std::string text = "[";
    while (text.size() < 1'000'000) text += "{\"id\": \"ä\", \"scale\": 1.5}, ";
    text += "last]";
    const auto document = parse_document(text, "long");  // counting from the line's start each time would take minutes
    ASSERT_TRUE(document.has_value());
    EXPECT_EQ(document->root.items.back().mark.column, text.size() - 4 - (document->root.items.size() - 1));
}

}  // namespace
}  // namespace sy::input
