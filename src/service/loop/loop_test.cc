#include "service/loop/loop.h"

#include <thread>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace sy::loop {
namespace {

TEST(Loop, CallsTimersInTheirOrderAndNotThoseThatWereCancelled) {
    Loop loop;
    std::string story;
    const Instant now = Loop::now();
    loop.at(now + 3ms, [&] { loop.stop(); });
    loop.at(now + 2ms, [&] { story += "b"; });
    loop.at(now + 1ms, [&] { story += "a"; });
    loop.cancel(loop.at(now + 1ms, [&] { story += "x"; }));
    loop.run();
    EXPECT_EQ(story, "ab");
}

TEST(Loop, TakesCallsFromOtherThreadsAndCallsBetweenAfterwards) {
    Loop loop;
    std::string story;
    loop.between([&] { story += "|"; });
    std::thread other([&] {
        loop.post([&] { story += "called"; });
        loop.post([&] { loop.stop(); });
    });
    loop.run();
    other.join();
    EXPECT_NE(story.find("called"), std::string::npos);
    EXPECT_EQ(story.back(), '|');
}

TEST(Loop, AHandlerMayForgetAnother) {
    Loop loop;
    int first[2];
    int second[2];
    ASSERT_EQ(::pipe(first), 0);
    ASSERT_EQ(::pipe(second), 0);
    int calls = 0;
    const auto only_once = [&](int own, int other) {
        return [&, own, other](std::uint32_t) {
            ++calls;
            loop.forget(own);
            loop.forget(other);
            loop.stop();
        };
    };
    loop.watch(first[0], EPOLLIN, only_once(first[0], second[0]));
    loop.watch(second[0], EPOLLIN, only_once(second[0], first[0]));
    for (const int fd : {first[1], second[1]}) ASSERT_EQ(::write(fd, "x", 1), 1);
    loop.run();
    EXPECT_EQ(calls, 1);
    for (const int fd : {first[0], first[1], second[0], second[1]}) ::close(fd);
}

}  // namespace
}  // namespace sy::loop
