// Real processes, each of which tries to get away.
#include "service/process/tree.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "service/alive.h"
#include "service/process/marked.h"
#include "service/test_folder.h"

namespace sy::process {
namespace {

Command shell(const std::string& script) {
    return {{"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}, "/", ""};
}

/// Waits until all of it is gone; what it wrote goes into `out`.
Ending wait_for(Tree& tree, std::string* out = nullptr) {
    for (;;) {
        std::array<char, 4096> buffer{};
        for (ssize_t n = 0; (n = ::read(tree.out_fd(), buffer.data(), buffer.size())) > 0;)
            if (out != nullptr) out->append(buffer.data(), static_cast<std::size_t>(n));
        if (const auto ending = tree.reap()) {
            for (ssize_t n = 0; (n = ::read(tree.out_fd(), buffer.data(), buffer.size())) > 0;)
                if (out != nullptr) out->append(buffer.data(), static_cast<std::size_t>(n));
            return *ending;
        }
        ::poll(nullptr, 0, 1);
    }
}

std::string output_of(const Command& command) {
    auto tree = Tree::start(command);
    EXPECT_TRUE(tree) << tree.error().message;
    std::string out;
    wait_for(*tree, &out);
    return out;
}

using service_test::is_alive;

TEST(Tree, TellsHowACommandEnded) {
    for (const int code : {0, 1, 42}) {
        auto tree = Tree::start(shell(fmt::format("exit {}", code)));
        ASSERT_TRUE(tree);
        EXPECT_EQ(wait_for(*tree).exit_code, code);
    }
    auto killed = Tree::start(shell("kill -9 $$"));
    EXPECT_EQ(wait_for(*killed).signal, SIGKILL);
}

TEST(Tree, InheritsNothingThatIsNotNamed) {
    ::setenv("SWITCHYARD_TEST_CANARY", "1", 1);
    EXPECT_EQ(output_of({{"/usr/bin/env"}, {{"A", "b c"}, {"D", ""}}, "/", ""}), "A=b c\nD=\n");
    EXPECT_EQ(output_of(shell("ls /proc/self/fd | wc -l")), "4\n") << "in, out, err, and the folder that ls reads";
}

TEST(Tree, ReadsItsInputAndRunsInItsFolder) {
    EXPECT_EQ(output_of({{"cat"}, {}, "/", "hello\n"}), "hello\n");
    EXPECT_EQ(output_of({{"pwd"}, {}, "/usr", ""}), "/usr\n");
    EXPECT_EQ(output_of({{"cat"}, {}, "/", ""}), "");
}

TEST(Tree, AProgramThatIsNotThereIsAnErrorInWords) {
    const auto missing = Tree::start({{"no-such-program"}, {}, "/", ""});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "'no-such-program' cannot be started: No such file or directory");
    EXPECT_FALSE(Tree::start({{"true"}, {}, "/no/such/folder", ""}));
    EXPECT_EQ(Tree::start({{"/etc/passwd"}, {}, "/", ""}).error().message,
              "'/etc/passwd' cannot be started: Permission denied");
}

TEST(Tree, ACommandThatIgnoresTermIsKilled) {
    auto tree = Tree::start(shell("trap '' TERM; echo ready; while :; do sleep 1; done"));
    ASSERT_TRUE(tree);
    pollfd ready{tree->out_fd(), POLLIN, 0};
    ::poll(&ready, 1, 10'000);
    tree->ask_to_end();
    ::poll(nullptr, 0, 20);
    EXPECT_FALSE(tree->reap());
    tree->kill();
    EXPECT_EQ(wait_for(*tree).signal, SIGKILL);
}

TEST(Tree, WhatACommandLeavesBehindGoesWithIt) {
    const service_test::TestFolder folder;
    const std::string pids = folder.path() + "/pids";
    // A child in the background, one in a session of its own, and one that forked twice to get away from its parent.
    const std::string script = fmt::format(
        "echo $$ >> {0}; sleep 1000 & echo $! >> {0}; setsid sh -c 'echo $$ >> {0}; exec sleep 1000' & "
        "(setsid sh -c '(echo $$ >> {0}; sleep 1000 & echo $! >> {0}) &' &) ; "
        "while [ $(wc -l < {0}) -lt 5 ]; do sleep 0.01; done; exit 7",
        pids);
    auto tree = Tree::start(shell(script));
    ASSERT_TRUE(tree);
    EXPECT_EQ(wait_for(*tree).exit_code, 7);
    std::ifstream list(pids);
    int seen = 0;
    for (pid_t pid = 0; list >> pid; ++seen) EXPECT_FALSE(is_alive(pid)) << pid;
    EXPECT_EQ(seen, 5);
}

TEST(Marked, FindsWhatNobodyWeKnowHasStarted) {
    const Mark mark{"SWITCHYARD_TEST_MARK", fmt::format("{}", ::getpid())};
    const Mark other{"SWITCHYARD_TEST_MARK", fmt::format("{}0", ::getpid())};
    auto tree = Tree::start({{"sh", "-c", "sleep 1000 & setsid sleep 1000 & echo ready; wait"},
                             {{"PATH", "/usr/bin:/bin"}, mark},
                             "/",
                             ""});
    ASSERT_TRUE(tree);
    pollfd ready{tree->out_fd(), POLLIN, 0};
    ::poll(&ready, 1, 10'000);
    std::size_t most = 0;  // one that is just becoming another program shows no environment for a moment
    for (int i = 0; i < 1000 && most < 3; ++i) most = std::max(most, find_marked(mark).size());
    EXPECT_EQ(most, 3U);
    EXPECT_EQ(find_marked(other).size(), 0U);
    end_marked(mark);
    EXPECT_EQ(wait_for(*tree).signal, SIGKILL);
}

TEST(Tree, NothingOutlivesItsOwner) {
    pid_t pid = 0;
    {
        auto tree = Tree::start(shell("trap '' TERM; sleep 1000 & wait"));
        ASSERT_TRUE(tree);
        pid = tree->pid();
        EXPECT_TRUE(is_alive(pid));
    }
    EXPECT_FALSE(is_alive(pid));
}

}  // namespace
}  // namespace sy::process
