#include "service/openai/multipart.h"

#include <gtest/gtest.h>

namespace sy::openai {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=xYz";

TEST(Multipart, FieldsAndFilesComeOutAsTheyWereSent) {
    const auto parts =
        read_form("Multipart/Form-Data; charset=utf-8; Boundary=\"xYz\"",
                  "--xYz\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n"
                  "--xYz\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; "
                  "filename=\"a \\\"b\\\".jsonl\"; name=\"file\"\r\n\r\nline\r\n--xY\r\n\n\r\n--xYz--\r\n");
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 2U);
    EXPECT_EQ((*parts)[0].name, "purpose");
    EXPECT_EQ((*parts)[0].content, "batch");
    EXPECT_TRUE((*parts)[0].filename.empty());
    EXPECT_EQ((*parts)[1].name, "file");
    EXPECT_EQ((*parts)[1].filename, "a \"b\".jsonl");
    EXPECT_EQ((*parts)[1].content, "line\r\n--xY\r\n\n");
}

TEST(Multipart, AFileMayBeEmpty) {
    const auto parts =
        read_form(kType, "--xYz\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n\r\n--xYz--");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->front().content, "");
}

TEST(Multipart, WhatIsCutOrNoFormIsRefused) {
    const std::string whole = "--xYz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--xYz--";
    ASSERT_TRUE(read_form(kType, whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read_form(kType, std::string_view(whole).substr(0, size))) << size;
    EXPECT_FALSE(read_form("application/json", whole));
    EXPECT_FALSE(read_form("multipart/form-data", whole)) << "no boundary";
    EXPECT_FALSE(read_form("multipart/form-data; boundary=other", whole));
    EXPECT_FALSE(read_form(kType, "--xYz\r\nContent-Disposition: form-data\r\n\r\nb\r\n--xYz--")) << "no name";
}

TEST(Multipart, MorePartsThanAllowedAreRefused) {
    const auto form_of = [](std::size_t count) {
        std::string text = "--xYz";
        for (std::size_t i = 0; i < count; ++i)
            text += "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--xYz";
        return text + "--";
    };
    EXPECT_TRUE(read_form(kType, form_of(kMostParts)));
    EXPECT_FALSE(read_form(kType, form_of(kMostParts + 1)));
}

}  // namespace
}  // namespace sy::openai
