#include "service/page/page.h"

#include <gtest/gtest.h>

namespace sy::page {
namespace {

http::Request get(const std::string& path, const std::string& known = "") {
    http::Request request{.method = "GET", .path = path};
    if (!known.empty()) request.headers["if-none-match"] = known;
    return request;
}

std::string header(const http::Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers)
        if (key == name) return value;
    return "";
}

TEST(Page, TheRootIsTheDocument) {
    const auto response = answer(get("/"));
    EXPECT_EQ(response.status, 200U);
    EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(header(response, "Content-Encoding"), "gzip");
    EXPECT_TRUE(response.body.starts_with("\x1f\x8b"));
}

TEST(Page, EveryFileHasItsTypeAndATag) {
    for (const Embedded& file : embedded()) {
        const auto response = answer(get(std::string(file.path)));
        EXPECT_NE(response.content_type, "application/octet-stream") << file.path;
        EXPECT_EQ(header(response, "ETag"), file.etag);
    }
}

TEST(Page, WhatTheClientHasIsNotSentAgain) {
    const Embedded& file = embedded().front();
    const auto response = answer(get(std::string(file.path), std::string(file.etag)));
    EXPECT_EQ(response.status, 304U);
    EXPECT_TRUE(response.body.empty());
    EXPECT_EQ(header(response, "Content-Encoding"), "");
}

TEST(Page, ThePolicyLetsNothingInFromElsewhere) {
    const std::string policy = header(answer(get("/")), "Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'"));
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(policy.find("http"), std::string::npos);
}

TEST(Page, NothingElseIsServed) {
    for (const char* path : {"/nothing.js", "/../page.js", "//", ""}) EXPECT_EQ(answer(get(path)).status, 404U) << path;
}

/// The limit, kept where a person adding to the page will meet it.
TEST(Page, AllOfItIsUnder120KilobytesCompressed) {
    std::size_t total = 0;
    for (const Embedded& file : embedded()) total += file.gzip.size();
    EXPECT_LT(total, 120'000U);
}

}  // namespace
}  // namespace sy::page
