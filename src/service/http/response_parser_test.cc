#include "service/http/response_parser.h"

#include <gtest/gtest.h>

namespace sy::http {
namespace {

/// The whole answer, come in pieces of so many bytes.
ResponseParser heard(const std::string& bytes, std::size_t each = 1'000'000) {
    ResponseParser parser;
    for (std::size_t at = 0; at < bytes.size(); at += each) parser.add(std::string_view(bytes).substr(at, each));
    return parser;
}

constexpr const char* kCounted =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}";
constexpr const char* kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nTrailer: x\r\n\r\n";

TEST(ResponseParser, AnAnswerIsTheSameHoweverItsBytesCome) {
    for (const char* bytes : {kCounted, kChunked})
        for (const std::size_t each : {1U, 2U, 3U, 7U, 1000U}) {
            ResponseParser parser = heard(bytes, each);
            EXPECT_TRUE(parser.is_whole()) << bytes << each;
            EXPECT_EQ(parser.status(), 200U);
            EXPECT_EQ(parser.take_body(), "{\"a\":1}");
        }
}

TEST(ResponseParser, ABodyIsHadBeforeItIsWhole) {
    ResponseParser parser = heard("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    EXPECT_EQ(parser.take_body(), "hello");
    EXPECT_FALSE(parser.is_whole());
    parser.add("1\r\n!\r\n0\r\n\r\n");
    EXPECT_EQ(parser.take_body(), "!");
    EXPECT_TRUE(parser.is_whole());
}

TEST(ResponseParser, WhereNothingElseSaysItTheEndOfTheLineIsTheEnd) {
    ResponseParser parser = heard("HTTP/1.0 200 OK\r\n\r\nall of it");
    EXPECT_FALSE(parser.is_whole());
    EXPECT_TRUE(parser.ends_with_line());
    parser.end();
    EXPECT_TRUE(parser.is_whole());
    EXPECT_EQ(parser.take_body(), "all of it");
}

TEST(ResponseParser, AWordOnTheWayIsNotTheAnswer) {
    ResponseParser parser = heard(std::string("HTTP/1.1 100 Continue\r\n\r\n") + kCounted);
    EXPECT_EQ(parser.status(), 200U);
    EXPECT_TRUE(parser.is_whole());
}

TEST(ResponseParser, AnAnswerThatIsCutIsNoAnswer) {
    for (const char* bytes : {kCounted, kChunked}) {
        ResponseParser parser = heard(std::string(bytes).substr(0, std::string(bytes).size() - 1));
        parser.end();
        EXPECT_EQ(parser.trouble(), "it hung up in the middle of its answer");
    }
    ResponseParser silent;
    silent.end();
    EXPECT_EQ(silent.trouble(), "it hung up before it answered");
}

TEST(ResponseParser, WhatIsNotHttpSaysSo) {
    EXPECT_EQ(heard("SSH-2.0-OpenSSH_9.2").trouble(), "what it sent is not HTTP: 'SSH-2.0-OpenSSH_9.2'");
    for (const char* bytes :
         {"\xff\xfe", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"})
        EXPECT_NE(heard(bytes).trouble(), "") << bytes;
}

TEST(ResponseParser, TheLimitIsTakenAndNoMore) {
    const auto at = [](std::size_t size) {
        ResponseParser parser({.head_bytes = 100, .body_bytes = 10});
        parser.add("HTTP/1.1 200 OK\r\n\r\n" + std::string(size, 'x'));
        return parser.trouble();
    };
    EXPECT_EQ(at(10), "");
    EXPECT_EQ(at(11), "its answer has more than 10 bytes, the limit");
    ResponseParser said({.head_bytes = 100, .body_bytes = 10});
    said.add("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n");
    EXPECT_EQ(said.trouble(), "its answer has 11 bytes, the limit is 10");
    ResponseParser head({.head_bytes = 100, .body_bytes = 10});
    head.add("HTTP/1.1 200 OK\r\nX: " + std::string(100, 'x'));
    EXPECT_EQ(head.trouble(), "the head of its answer has more than 100 bytes");
}

}  // namespace
}  // namespace sy::http
