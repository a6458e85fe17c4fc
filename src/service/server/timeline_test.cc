#include "service/server/timeline.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sy::server {
namespace {

using Json = nlohmann::ordered_json;
using What = TaskChange::What;

constexpr WallTime kLife = 1'000'000;

/// A service of which only the records and who holds a GPU are real.
class TimelineTest : public testing::Test {
protected:
    TaskRecord& record(std::uint64_t task, const std::string& model = "", const std::string& name = "") {
        TaskRecord& record = records[TaskId(task)];
        record.work.model = model;
        record.name = name;
        return record;
    }
    void start(std::uint64_t task, WallTime at, std::uint32_t gpu = 0, bool begins = true) {
        records[TaskId(task)].attempts.push_back({.gpus = {GpuId(gpu), 1}, .started = at});
        if (begins) holders.insert(TaskId(task));
        const auto attempt = static_cast<std::uint32_t>(records[TaskId(task)].attempts.size());
        tell({.task = TaskId(task), .what = What::started, .attempt = attempt, .gpus = {GpuId(gpu), 1}}, at);
    }
    void end(std::uint64_t task, WallTime at, State state = State::succeeded) {
        TaskRecord& record = records[TaskId(task)];
        record.attempts.back().ended = at;
        record.state = state;
        holders.erase(TaskId(task));
        const auto attempt = static_cast<std::uint32_t>(record.attempts.size());
        tell({.task = TaskId(task), .what = What::ended, .after = state, .attempt = attempt}, at);
    }
    void tell(const TaskChange& change, WallTime at) { timeline.see({at, change}); }

    Json ask(std::map<std::string, std::string> query = {}) {
        http::Request request;
        request.query = std::move(query);
        const http::Response response = timeline.answer(request);
        Json json = Json::parse(response.body);
        json["status"] = response.status;
        return json;
    }
    /// "7 on 0 from 1.0 to 2.5: succeeded", times in seconds of this life.
    std::string row(const Json& answer, std::size_t i) {
        const Json& r = answer["rows"][i];
        const double zero = static_cast<double>(earliest - kLife) / 1e3;
        const std::string end = r[7].is_null() ? "now" : tenths(r[7].get<double>() + zero);
        return fmt::format("{} on {} from {} to {}: {}", r[0].dump(), r[2].dump(), tenths(r[6].get<double>() + zero),
                           end, r[8].get<std::string>());
    }
    static std::string tenths(double seconds) { return fmt::format("{:.1f}", seconds); }

    WallTime earliest = kLife;  ///< The first start there is.
    std::map<TaskId, TaskRecord> records;
    std::set<TaskId> holders;
    std::vector<std::pair<TaskId, TaskRecord>> stored;
    Timeline timeline{kLife,
                      {.peek =
                           [this](TaskId task) {
                               const auto found = records.find(task);
                               return found == records.end() ? nullptr : &found->second;
                           },
                       .has_begun = [this](TaskId task) { return holders.contains(task); },
                       .records =
                           [this](TaskId before, std::uint32_t) {
                               std::vector<std::pair<TaskId, TaskRecord>> found;
                               for (const auto& one : stored)
                                   if (one.first < before) found.push_back(one);
                               return found;
                           }},
                      {.kept = 10, .recalled = 1'000}};
};

TEST_F(TimelineTest, AnAttemptIsABarFromItsStartToItsEnd) {
    record(7, "bge", "embed").attempts.clear();
    start(7, kLife);
    EXPECT_EQ(row(ask(), 0), "7 on 0 from 0.0 to now: running");
    records[TaskId(7)].attempts.back().details.load_us = 500'000;
    end(7, kLife + 2'500);
    const Json answer = ask();
    EXPECT_EQ(row(answer, 0), "7 on 0 from 0.0 to 2.5: succeeded");
    EXPECT_EQ(answer["models"], Json::array({"bge"}));
    EXPECT_EQ(answer["rows"][0][4], 0);
    EXPECT_EQ(answer["rows"][0][5], 0.5) << "of which loading took";
    EXPECT_EQ(answer["rows"][0][9], "embed");
}

TEST_F(TimelineTest, ACursorBringsWhatHasChangedSince) {
    start(1, kLife);
    start(2, kLife + 10, 1);
    const std::string cursor = ask()["cursor"];
    EXPECT_EQ(ask({{"after", cursor}})["rows"].size(), 0U);
    end(1, kLife + 20);
    start(3, kLife + 30);
    const Json news = ask({{"after", cursor}});
    ASSERT_EQ(news["rows"].size(), 2U);
    EXPECT_EQ(news["rows"][0][0], 1);
    EXPECT_EQ(news["rows"][1][0], 3);
    EXPECT_EQ(news["reset"], false);
    EXPECT_EQ(ask({{"after", news["cursor"]}})["rows"].size(), 0U);
}

TEST_F(TimelineTest, ACursorOfAnotherLifeBringsEverything) {
    start(1, kLife);
    const Json answer = ask({{"after", "999-0"}});
    EXPECT_EQ(answer["reset"], true);
    EXPECT_EQ(answer["rows"].size(), 1U);
    EXPECT_EQ(ask({{"after", "nonsense"}})["status"], 422);
    EXPECT_EQ(ask({{"limit", "0"}})["status"], 422);
    EXPECT_EQ(ask({{"colour", "red"}})["status"], 422);
}

TEST_F(TimelineTest, TheOldestGoWhereThereAreTooManyAndItSaysHowFarItReaches) {
    for (std::uint64_t task = 1; task <= 12; ++task) {
        start(task, kLife + static_cast<WallTime>(task) * 1000);
        end(task, kLife + static_cast<WallTime>(task) * 1000 + 500);
    }
    const Json answer = ask();
    EXPECT_EQ(answer["rows"].size(), 10U);
    EXPECT_EQ(answer["rows"][0][0], 12) << "the latest first";
    EXPECT_EQ(answer["reaches_back_to"], "1970-01-01T00:16:43.000Z");
}

TEST_F(TimelineTest, OneLooksBackAPageAtATimeAndBetweenTwoInstants) {
    for (std::uint64_t task = 1; task <= 5; ++task) {
        start(task, kLife + static_cast<WallTime>(task) * 1000);
        end(task, kLife + static_cast<WallTime>(task) * 1000 + 500);
    }
    const Json latest = ask({{"limit", "2"}});
    EXPECT_EQ(latest["rows"][1][0], 4);
    const Json earlier = ask({{"limit", "3"}, {"before", latest["earlier"]}});
    EXPECT_EQ(earlier["rows"][0][0], 3);
    EXPECT_EQ(earlier["rows"][2][0], 1);
    EXPECT_TRUE(earlier["earlier"].is_null());
    const Json between = ask({{"from", "1002.2"}, {"to", "1004.0"}});
    ASSERT_EQ(between["rows"].size(), 2U);
    EXPECT_EQ(between["rows"][0][0], 3);
    EXPECT_EQ(between["rows"][1][0], 2);
}

TEST_F(TimelineTest, ACallHandedOutAheadBeginsWhenTheOneBeforeItHasEnded) {
    start(1, kLife);
    start(2, kLife + 100, 0, false);
    EXPECT_EQ(ask()["rows"].size(), 1U) << "the second only stands behind the first";
    end(1, kLife + 1'000);
    holders.insert(TaskId(2));
    end(2, kLife + 1'500);
    EXPECT_EQ(row(ask(), 0), "2 on 0 from 1.0 to 1.5: succeeded");
}

TEST_F(TimelineTest, WhatWasCalledBackNeverRan) {
    start(1, kLife);
    start(2, kLife + 100, 0, false);
    tell({.task = TaskId(2), .what = What::recalled, .attempt = 1}, kLife + 200);
    holders.insert(TaskId(2));
    EXPECT_EQ(ask()["rows"].size(), 1U);
}

TEST_F(TimelineTest, AnAttemptThatDidNotCountIsToldApartFromTheNext) {
    start(1, kLife);
    records[TaskId(1)].attempts.back().ended = kLife + 300;
    tell({.task = TaskId(1), .what = What::voided, .attempt = 1}, kLife + 300);
    start(1, kLife + 400, 1);
    end(1, kLife + 900, State::failed);
    const Json answer = ask();
    EXPECT_EQ(row(answer, 0), "1 on 1 from 0.4 to 0.9: failed");
    EXPECT_EQ(row(answer, 1), "1 on 0 from 0.0 to 0.3: void");
}

TEST_F(TimelineTest, AttemptsOfEarlierLivesAreReadFromTheRecords) {
    earliest = kLife - 5'000;
    TaskRecord old = record(3, "bge");
    old.state = State::succeeded;
    old.attempts = {{.gpus = {GpuId(1), 1}, .started = kLife - 5'000, .ended = kLife - 4'000}};
    TaskRecord outlived = record(4);
    outlived.state = State::running;
    outlived.attempts = {{.gpus = {GpuId(0), 1}, .started = kLife - 2'000}};
    stored = {{TaskId(4), outlived}, {TaskId(3), old}};
    records = {{TaskId(4), outlived}};
    holders = {TaskId(4)};
    const Json answer = ask();
    EXPECT_EQ(row(answer, 0), "4 on 0 from -2.0 to now: running");
    EXPECT_EQ(row(answer, 1), "3 on 1 from -5.0 to -4.0: succeeded");
    end(4, kLife + 1'000);
    EXPECT_EQ(row(ask({{"after", answer["cursor"]}}), 0), "4 on 0 from -2.0 to 1.0: succeeded");
}

TEST_F(TimelineTest, WhatOutlivedItsServerAndEndedBeforeAnybodyLookedIsToldOnce) {
    earliest = kLife - 2'000;
    record(4).attempts = {{.gpus = {GpuId(0), 1}, .started = kLife - 2'000}};
    end(4, kLife + 1'000);
    stored = {{TaskId(4), records[TaskId(4)]}};
    const Json answer = ask();
    ASSERT_EQ(answer["rows"].size(), 1U);
    EXPECT_EQ(row(answer, 0), "4 on 0 from -2.0 to 1.0: succeeded");
}

}  // namespace
}  // namespace sy::server
