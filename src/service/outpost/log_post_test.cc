#include "service/outpost/log_post.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "service/server/log_intake.h"
#include "service/test_folder.h"

namespace sy::outpost {
namespace {

/// A host's folder and a server's, with a line between them that a test may lose.
class Post {
public:
    void write(const std::string& name, const std::string& text) {
        std::ofstream(host_.path() + "/" + name, std::ios::app) << text;
    }
    std::string kept(const std::string& name) const {
        std::ifstream file(server_.path() + "/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    bool is_spooled(const std::string& name) const { return std::filesystem::exists(host_.path() + "/" + name); }
    void deliver() {
        for (const wire::LogBytes& part : std::exchange(sent_, {})) logs.kept({part.log, intake_.take(part)});
    }
    void lose() { sent_.clear(); }
    void forget_at_the_server(const std::string& name) const { std::filesystem::remove(server_.path() + "/" + name); }

private:
    service_test::TestFolder host_;
    service_test::TestFolder server_;
    std::vector<wire::LogBytes> sent_;
    server::LogIntake intake_{server_.path(), 1000};

public:
    LogPost logs{host_.path(), [this](const wire::LogBytes& part) { sent_.push_back(part); }};
};

TEST(LogPost, WhatIsWrittenArrivesAndGoesFromTheHostWhenTheTaskHasEnded) {
    Post post;
    post.logs.began(TaskId(7), 1);
    post.write("7-1.out", "one\n");
    post.logs.advance(kStart);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.out"), "one\n");
    EXPECT_TRUE(post.is_spooled("7-1.out")) << "there may be more";
    post.write("7-1.out", "two\n");
    post.logs.ended(TaskId(7), 1);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.out"), "one\ntwo\n") << "the end goes out with the word that it has ended";
    post.logs.advance(kStart);
    EXPECT_FALSE(post.is_spooled("7-1.out"));
    EXPECT_EQ(post.logs.count(), 0U);
}

TEST(LogPost, WhatALostLineTookIsSentAgain) {
    Post post;
    post.logs.began(TaskId(7), 1);
    post.write("7-1.err", "one\n");
    post.logs.advance(kStart);
    post.lose();
    post.write("7-1.err", "two\n");
    post.logs.ended(TaskId(7), 1);
    post.lose();
    post.logs.advance(kStart);
    EXPECT_TRUE(post.is_spooled("7-1.err")) << "nobody has said that they have it";
    post.logs.begin_again();
    post.logs.advance(kStart);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.err"), "one\ntwo\n");
}

TEST(LogPost, WhatIsNotAnsweredIsSentAgain) {
    Post post;
    post.logs.began(TaskId(7), 1);
    post.write("7-1.out", "one\n");
    post.logs.ended(TaskId(7), 1);
    post.lose();
    post.logs.advance(kStart);
    post.logs.advance(kStart + 3s);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.out"), "") << "an answer may take a while";
    post.logs.advance(kStart + 4s);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.out"), "one\n");
    post.logs.advance(kStart + 4s);
    EXPECT_FALSE(post.is_spooled("7-1.out"));
}

TEST(LogPost, AServerThatHasLessOfItGetsItFromThere) {
    Post post;
    post.logs.began(TaskId(7), 1);
    post.write("7-1.out", "one\n");
    post.logs.advance(kStart);
    post.deliver();
    post.forget_at_the_server("7-1.out");
    post.write("7-1.out", "two\n");
    post.logs.begin_again();
    for (int i = 0; i < 3; ++i) {
        post.logs.advance(kStart);
        post.deliver();
    }
    EXPECT_EQ(post.kept("7-1.out"), "one\ntwo\n");
}

TEST(LogPost, ANewLifeSendsWhatTheOldOneLeft) {
    const service_test::TestFolder folder;
    std::ofstream(folder.path() + "/9-2.out") << "left\n";
    std::ofstream(folder.path() + "/notes.txt") << "no log\n";
    std::vector<wire::LogBytes> sent;
    LogPost logs(folder.path(), [&](const wire::LogBytes& part) { sent.push_back(part); });
    logs.advance(kStart);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].log, (wire::LogName{TaskId(9), 2, false}));
    EXPECT_EQ(sent[0].bytes, "left\n");
    logs.kept({sent[0].log, 5});
    logs.advance(kStart);
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/9-2.out")) << "whoever writes it may still be at work";
}

TEST(LogPost, WhatBeganInAnEarlierLifeAndOnlyWroteInThisOneIsSentToo) {
    Post post;
    post.write("7-1.out", "late\n");
    post.logs.ended(TaskId(7), 1);
    post.deliver();
    EXPECT_EQ(post.kept("7-1.out"), "late\n");
    post.logs.advance(kStart);
    EXPECT_FALSE(post.is_spooled("7-1.out"));
    EXPECT_EQ(post.logs.count(), 0U);
}

TEST(LogPost, BeyondTheMostThatIsKeptNothingIsSentForEver) {
    Post post;
    post.logs.began(TaskId(7), 1);
    post.write("7-1.out", std::string(1500, 'x'));
    post.logs.ended(TaskId(7), 1);
    for (int i = 0; i < 3; ++i) {
        post.deliver();
        post.logs.advance(kStart);
    }
    EXPECT_EQ(post.kept("7-1.out").size(), 1000U);
    EXPECT_FALSE(post.is_spooled("7-1.out"));
}

}  // namespace
}  // namespace sy::outpost
