#include "service/audit/log.h"

#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/test_folder.h"

namespace sy::audit {
namespace {

/// A log of a few requests, to be tampered with.
struct Yard {
    service_test::TestFolder folder;
    std::string path = folder.path() + "/audit.log";

    void add(unsigned count) const {
        auto log = Log::open(path);
        ASSERT_TRUE(log) << log.error().message;
        for (unsigned i = 0; i < count; ++i)
            log->add({1'800'000'000'000, "uid 1000", "POST /api/v1/tasks", fmt::format("task {}", i), 201});
        ASSERT_TRUE(log->flush());
    }
    std::vector<std::string> lines() const {
        std::ifstream file(path);
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }
    void write(const std::vector<std::string>& lines) const {
        std::ofstream file(path);
        for (const std::string& line : lines) file << line << "\n";
    }
    std::string verdict() const {
        const auto found = verify(path);
        if (!found) return found.error().message;
        return found->broken_at ? fmt::format("{} intact, line {}: {}", found->intact, *found->broken_at, found->why)
                                : fmt::format("{} intact", found->intact);
    }
};

TEST(Audit, GoesOnWhereItStopped) {
    const Yard yard;
    yard.add(3);
    yard.add(2);
    EXPECT_EQ(yard.verdict(), "5 intact");
    EXPECT_EQ(
        yard.lines()[1].substr(0, 120),
        R"({"time":"2027-01-15T08:00:00.000Z","who":"uid 1000","what":"POST /api/v1/tasks","about":"task 1","status":201,"previous")");
}

TEST(Audit, AChangedByteIsNoticedInTheNextLine) {
    const Yard yard;
    yard.add(4);
    auto lines = yard.lines();
    lines[1].replace(lines[1].find("1000"), 4, "1001");
    yard.write(lines);
    EXPECT_EQ(yard.verdict(), "2 intact, line 3: it does not follow from the line before it");
}

TEST(Audit, ALineThatWasDroppedSwappedOrAddedIsNoticed) {
    const Yard yard;
    yard.add(4);
    const auto lines = yard.lines();
    yard.write({lines[0], lines[2], lines[3]});
    EXPECT_EQ(yard.verdict(), "1 intact, line 2: it does not follow from the line before it");
    yard.write({lines[1], lines[2], lines[3]});
    EXPECT_EQ(yard.verdict(), "0 intact, line 1: it does not follow from the line before it");
    yard.write({lines[0], lines[2], lines[1], lines[3]});
    EXPECT_EQ(yard.verdict(), "1 intact, line 2: it does not follow from the line before it");
    yard.write({lines[0], "hello", lines[1]});
    EXPECT_EQ(yard.verdict(), "1 intact, line 2: it is no record");
}

TEST(Audit, ACutTailIsNotNoticedButEndsInAnotherHash) {
    const Yard yard;
    yard.add(4);
    const std::string last = verify(yard.path)->last;
    auto lines = yard.lines();
    lines.pop_back();
    yard.write(lines);
    EXPECT_EQ(yard.verdict(), "3 intact");
    EXPECT_NE(verify(yard.path)->last, last) << "who noted the hash can tell";
}

TEST(Audit, AHalfLineLeftByACrashIsShownAndDoesNotHideWhatComesAfter) {
    const Yard yard;
    yard.add(2);
    std::ofstream(yard.path, std::ios::app) << R"({"time":"20)";
    yard.add(1);
    EXPECT_EQ(yard.lines().size(), 4U);
    EXPECT_EQ(yard.verdict(), "2 intact, line 3: it is no record");
}

TEST(Audit, ManyLinesAreContinuedWithoutReadingThemAll) {
    const Yard yard;
    yard.add(2000);
    yard.add(1);
    EXPECT_EQ(yard.verdict(), "2001 intact");
}

}  // namespace
}  // namespace sy::audit
