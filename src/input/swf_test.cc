#include "input/swf.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sy::input {
namespace {

/// A line of the log: what a test leaves alone is unknown.
struct Row {
    std::string number = "1", submit = "0", run = "60", allocated = "4", requested = "-1", requested_time = "-1";
    std::string status = "1", user = "-1", executable = "-1";

    operator std::string() const {
        return number + " " + submit + " -1 " + run + "\t" + allocated + " -1 -1 " + requested + " " + requested_time +
               " -1 " + status + " " + user + " -1 " + executable + " -1 -1 -1 -1\n";
    }
};

SwfLog accepted(const std::string& text) {
    auto log = read_swf(text, "l");
    EXPECT_TRUE(log.has_value()) << log.error().message;
    return log ? *log : SwfLog{};
}

std::string refusal(const std::string& text) {
    const auto log = read_swf(text, "l");
    return log ? "accepted" : log.error().message;
}

TEST(Swf, ReadsAJob) {
    const SwfLog log = accepted(
        "; Computer: X\n;   MaxProcs: 128 (two frames)\n\n" +
        std::string(Row{
            .submit = "7", .run = "60.5", .requested = "8", .requested_time = "120", .user = "3", .executable = "12"}));
    EXPECT_EQ(log.max_procs, 128U);
    const Trace& t = log.trace;
    ASSERT_EQ(t.jobs.size(), 1U);
    EXPECT_EQ(t.ids[0], "1");
    EXPECT_EQ(t.jobs[0].submit, kStart + 7s);
    EXPECT_EQ(t.jobs[0].length, 60'500ms);
    EXPECT_EQ(t.jobs[0].estimate, 120s);
    EXPECT_EQ(t.demand_of(t.jobs[0]).gpus, 8U);
    EXPECT_EQ(t.users[t.jobs[0].user.value()], "user-3");
    EXPECT_EQ(t.names[t.jobs[0].name.value()], "app-12");
}

TEST(Swf, UnknownIsNothingSaid) {
    const Trace t = accepted(Row{}).trace;
    EXPECT_EQ(t.demand_of(t.jobs[0]).gpus, 4U);
    EXPECT_EQ(t.jobs[0].estimate, 0s);
    EXPECT_EQ(t.jobs[0].user, NameId());
    EXPECT_EQ(t.jobs[0].name, NameId());
}

TEST(Swf, LeavesOutAndCountsWhatCannotBeReplayed) {
    const SwfLog log = accepted(
        std::string(Row{.number = "1"}) + std::string(Row{.number = "2", .run = "0", .status = "5"}) +
        std::string(Row{.number = "3", .run = "0", .status = "0"}) + std::string(Row{.number = "4", .run = "-1"}) +
        std::string(Row{.number = "5", .run = "0", .status = "1"}) + std::string(Row{.number = "6", .status = "5"}) +
        std::string(Row{.number = "1", .status = "2"}) + std::string(Row{.number = "1", .status = "3"}) +
        std::string(Row{.number = "7", .allocated = "-1"}) +
        std::string(Row{.number = "8", .allocated = "-1", .requested = "0"}) +
        std::string(Row{.number = "9", .submit = "-1"}));
    EXPECT_EQ(log.trace.ids, (std::vector<std::string>{"1", "5", "6"}));
    EXPECT_EQ(log.lines, 11U);
    EXPECT_EQ(log.never_ran, 3U);
    EXPECT_EQ(log.partial, 2U);
    EXPECT_EQ(log.without_size, 2U);
    EXPECT_EQ(log.without_time, 1U);
}

TEST(Swf, PutsJobsInOrderAndSaysHowMany) {
    const SwfLog log =
        accepted(std::string(Row{.number = "1", .submit = "5"}) + std::string(Row{.number = "2", .submit = "9"}) +
                 std::string(Row{.number = "3", .submit = "5"}) + std::string(Row{.number = "4", .submit = "1"}) +
                 std::string(Row{.number = "5", .submit = "9"}));
    EXPECT_EQ(log.trace.ids, (std::vector<std::string>{"4", "1", "3", "2", "5"}));
    EXPECT_EQ(log.out_of_order, 2U);
}

TEST(Swf, RefusesWithPlaceAndRule) {
    EXPECT_EQ(refusal(""), "l:1:1: the log has no jobs");
    EXPECT_EQ(refusal("; only words\n"), "l:1:1: the log has no jobs");
    EXPECT_EQ(refusal(Row{.run = "-1"}), "l:1:1: none of the log's 1 jobs can be replayed");
    EXPECT_EQ(refusal("1 2 3\n"), "l:1:1: this line has 3 fields, the format has 18");
    EXPECT_EQ(refusal("job_id,submit_s,duration_s,gpus\n"), "l:1:1: this line has 1 fields, the format has 18");
    EXPECT_EQ(refusal(Row{.submit = "noon"}), "l:1:3: field 2 is 'noon', it must be a number of seconds, or -1");
    EXPECT_EQ(refusal(Row{.submit = "6307200001"}), "l:1:3: field 2 is '6307200001', the limit is 6307200000 s");
    EXPECT_EQ(refusal(Row{.submit = "6307200000"}), "l:1:17: the job would end past the end of time");
    EXPECT_EQ(refusal(Row{.requested = "1048577"}),
              "l:1:19: field 8 asks for 1048577 processors, the limit is 1048576");
    EXPECT_EQ(refusal("; x\n" + std::string(Row{}) + std::string(Row{})),
              "l:3:1: job '1' stands here again, first in line 2");
    EXPECT_EQ(refusal(std::string("1 2\0", 4)), "l:1:1: byte 0x00 does not belong in a text file");
}

}  // namespace
}  // namespace sy::input
