#include "service/server/feed.h"

#include <gtest/gtest.h>

namespace sy::server {
namespace {

/// A client that takes what it is sent when the test says so.
class Reader final : public http::Stream {
public:
    bool is_open() const override { return open_; }
    std::size_t unsent() const override { return unsent_.size(); }
    void push(std::string_view bytes) override { unsent_ += bytes; }
    void finish() override { open_ = false; }
    void close() override { open_ = false; }
    std::string take() { return std::exchange(unsent_, {}); }

private:
    bool open_ = true;
    std::string unsent_;
};

class FeedTest : public testing::Test {
protected:
    static constexpr FeedLimits kLimits{.remembered = 10, .listeners = 2, .ahead = 600, .keep_alive = 15s};

    void accept(std::uint64_t task) { feed.add({0, TaskChange{.task = TaskId(task)}}); }
    std::shared_ptr<Reader> listen(const std::string& after = "", const std::string& task = "") {
        http::Request request;
        if (!after.empty()) request.headers["last-event-id"] = after;
        if (!task.empty()) request.query["task"] = task;
        const http::Response response = feed.open(request);
        if (!response.opened) return nullptr;
        auto reader = std::make_shared<Reader>();
        response.opened(reader);
        return reader;
    }
    /// The ids of what it took, without the life.
    std::string ids(Reader& reader) {
        feed.flush();
        std::string text = reader.take();
        std::string found;
        for (std::size_t at = 0; (at = text.find("id: 7-", at)) != std::string::npos; ++at)
            found += text.substr(at + 6, text.find('\n', at) - at - 6) + " ";
        return found;
    }

    loop::Loop loop;
    Feed feed{loop, 7, kLimits};
};

TEST_F(FeedTest, EventsComeInOrderAndOnlyNewOnes) {
    accept(1);
    const auto reader = listen();
    EXPECT_EQ(reader->take(), "id: 7-1\nevent: hello\ndata: {}\n\n");
    accept(2);
    accept(3);
    EXPECT_EQ(ids(*reader), "2 3 ");
    EXPECT_EQ(ids(*reader), "");
}

TEST_F(FeedTest, WhoComesBackMissesNothingAndHearsNothingTwice) {
    for (std::uint64_t task = 1; task <= 5; ++task) accept(task);
    EXPECT_EQ(ids(*listen("7-2")), "2 3 4 5 ");
    EXPECT_EQ(ids(*listen("7-5")), "5 ") << "the first names the place";
}

TEST_F(FeedTest, WhoWasAwayForTooLongIsToldSo) {
    for (std::uint64_t task = 1; task <= 12; ++task) accept(task);
    EXPECT_EQ(listen("7-2")->take().find("event: hello"), std::string("id: 7-2\n").size()) << "3 to 12 are remembered";
    EXPECT_NE(listen("7-1")->take().find("id: 7-12\nevent: gap"), std::string::npos);
}

TEST_F(FeedTest, AnIdOfAnotherLifeOrOfTheFutureIsAGap) {
    accept(1);
    for (const char* id : {"6-1", "7-2", "7-", "nonsense", "7-18446744073709551615"}) {
        const auto reader = listen(id);
        ASSERT_NE(reader, nullptr);
        EXPECT_NE(reader->take().find("event: gap"), std::string::npos) << id;
        reader->close();
        feed.flush();
    }
}

TEST_F(FeedTest, OneTaskCanBeFollowedAlone) {
    const auto reader = listen("", "2");
    reader->take();
    for (const std::uint64_t task : {1U, 2U, 3U, 2U}) accept(task);
    feed.add({0, QueueChange{true}});
    EXPECT_EQ(ids(*reader), "2 4 ");
    http::Request request;
    request.query["task"] = "two";
    EXPECT_EQ(feed.open(request).status, 422U);
}

TEST_F(FeedTest, WhoReadsSlowlyHoldsLittleAndIsLeftBehindInTheEnd) {
    const auto slow = listen();
    const auto quick = listen();
    std::string heard;
    for (std::uint64_t task = 1; task <= 100; ++task) {
        accept(task);
        heard += ids(*quick);
        EXPECT_LT(slow->unsent(), 900U);
    }
    EXPECT_EQ(heard.substr(0, 4), "0 1 ");
    EXPECT_EQ(heard.substr(heard.size() - 4), "100 ");
    EXPECT_FALSE(slow->is_open());
    EXPECT_EQ(feed.listener_count(), 1U);
}

TEST_F(FeedTest, ManyEventsInOneTurnLeaveNobodyBehindWhoWantsFewOfThem) {
    const auto reader = listen("", "50");
    for (std::uint64_t task = 1; task <= 100; ++task) accept(task);
    EXPECT_EQ(ids(*reader), "0 50 ");
    EXPECT_TRUE(reader->is_open());
}

TEST_F(FeedTest, ASignOfLifeComesWhenNothingHappens) {
    Feed lively(loop, 7, {.keep_alive = 5ms});
    const auto reader = std::make_shared<Reader>();
    lively.open({}).opened(reader);
    reader->take();
    loop.at(loop::Loop::now() + 8ms, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(reader->take(), ":\n\n");
}

TEST_F(FeedTest, ThereIsAPlaceForSoManyListenersAndNoMore) {
    const auto one = listen();
    const auto two = listen();
    EXPECT_EQ(listen(), nullptr);
    one->close();
    feed.flush();
    EXPECT_NE(listen(), nullptr);
}

}  // namespace
}  // namespace sy::server
