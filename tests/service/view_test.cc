// What those who look on are told: the line in its order, the past of the GPUs, and what comes next there.
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

/// One GPU, held by a task that is said to take a minute.
class BusyService {
public:
    BusyService() {
        first = service.submit("sleep 60", {{"estimate_s", 60}, {"name", "holder"}});
        service.wait_until(first, "running");
    }
    Json queue(const std::string& query = "") const { return service.get("/api/v1/queue/tasks" + query); }
    std::string refusal(const std::string& query) const {
        const auto response = service.ask("GET", "/api/v1/queue/tasks" + query);
        return fmt::format("{} {}", response->status, Json::parse(response->body).value("error", ""));
    }

    Service service{1};
    std::uint64_t first = 0;
};

std::string ids(const Json& answer) {
    std::string text;
    for (const Json& task : answer["tasks"]) text += fmt::format("{}{}", text.empty() ? "" : " ", task["id"].dump());
    return text;
}

TEST(View, TheQueueIsToldInItsOrderWithReasonsAndExpectedStarts) {
    const BusyService busy;
    const std::uint64_t second = busy.service.submit("true", {{"estimate_s", 5}, {"name", "second"}});
    const std::uint64_t unknown = busy.service.submit("true", {{"priority", "LOW"}});
    const std::uint64_t behind = busy.service.submit("true", {{"priority", "LOW"}});
    const std::uint64_t urgent = busy.service.submit("true", {{"priority", "HIGH"}, {"estimate_s", 10}});
    const std::uint64_t held = busy.service.submit("true", {{"after", {second}}});
    const Json answer = busy.queue();
    EXPECT_EQ(ids(answer), fmt::format("{} {} {} {} {} {}", busy.first, urgent, second, unknown, behind, held));
    const Json& tasks = answer["tasks"];
    EXPECT_EQ(tasks[0]["state"], "running");
    EXPECT_EQ(tasks[1]["position"], 0);
    EXPECT_EQ(tasks[2]["position"], 1);
    EXPECT_EQ(tasks[1]["reason"], "GPUs: 1 busy");
    EXPECT_NEAR(tasks[1]["expected_start_s"].get<double>(), 60, 5);
    EXPECT_NEAR(tasks[2]["expected_start_s"].get<double>(), 70, 5);
    EXPECT_NEAR(tasks[3]["expected_start_s"].get<double>(), 75, 5);
    EXPECT_TRUE(tasks[4]["expected_start_s"].is_null()) << "nobody knows how long the one before it takes";
    EXPECT_EQ(tasks[5]["state"], "blocked");
    EXPECT_EQ(tasks[5]["reason"], fmt::format("needs #{}", second));
    EXPECT_EQ(answer["queued"], 4);
    EXPECT_TRUE(answer["next"].is_null());
    EXPECT_EQ(busy.service.get(fmt::format("/api/v1/tasks/{}/explain", held))["reason"],
              fmt::format("needs #{}", second));
}

TEST(View, TheQueueIsReadAPageAtATimeThoughItsFrontMoves) {
    const BusyService busy;
    std::string all = std::to_string(busy.first);
    for (int i = 0; i < 5; ++i) all += fmt::format(" {}", busy.service.submit("true"));
    for (int i = 0; i < 2; ++i) all += fmt::format(" {}", busy.service.submit("true", {{"delay_s", 600}}));
    std::string seen;
    std::string next;
    do {
        const Json page = busy.queue("?limit=2" + (next.empty() ? "" : "&after=" + next));
        seen += (seen.empty() ? "" : " ") + ids(page);
        next = page["next"].is_null() ? "" : page["next"].get<std::string>();
        if (seen.size() < 8) busy.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", busy.first + 1));
    } while (!next.empty());
    EXPECT_EQ(seen, all) << "whoever left after it was shown takes nobody's place";
}

TEST(View, TheQueueIsSearchedAndFiltered) {
    const BusyService busy;
    const std::uint64_t needle = busy.service.submit("true", {{"name", "Needle in the hay"}, {"user", "anna"}});
    const std::uint64_t hay = busy.service.submit("true", {{"name", "hay"}, {"priority", "LOW"}});
    const std::uint64_t later = busy.service.submit("true", {{"delay_s", 600}});
    EXPECT_EQ(ids(busy.queue("?search=hay")), fmt::format("{} {}", needle, hay));
    EXPECT_EQ(ids(busy.queue("?search=needle%20anna")), std::to_string(needle));
    EXPECT_EQ(ids(busy.queue(fmt::format("?search=%23{}", hay))), std::to_string(hay));
    EXPECT_EQ(ids(busy.queue("?search=nothing")), "");
    EXPECT_EQ(ids(busy.queue("?priority=LOW")), std::to_string(hay));
    EXPECT_EQ(ids(busy.queue("?state=running")), std::to_string(busy.first));
    EXPECT_EQ(ids(busy.queue("?state=delayed")), std::to_string(later));
    EXPECT_EQ(ids(busy.queue("?model=bge")), "");
}

TEST(View, WhatTheQueueCannotBeAskedIsRefusedByName) {
    const BusyService busy;
    EXPECT_EQ(busy.refusal("?state=asleep"),
              "422 state is 'asleep', it must be one of running, queued, blocked, delayed");
    EXPECT_EQ(busy.refusal("?priority=URGENT"),
              "422 priority is 'URGENT', it must be one of CRITICAL, HIGH, NORMAL, LOW");
    EXPECT_EQ(busy.refusal("?limit=501"), "422 limit is '501', it must be a whole number from 1 to 500");
    EXPECT_EQ(busy.refusal("?after=line:x"), "422 after is 'line:x', it must be what an earlier answer said as next");
    EXPECT_EQ(busy.refusal("?colour=red"), "422 the queue cannot be asked for 'colour'");
}

TEST(View, APageOfAHundredThousandCostsWhatItShows) {
    const BusyService busy;
    busy.service.ask("POST", "/api/v1/queue/pause");
    const Json many{{"command", {"true"}}, {"array", 100'000}, {"name", "sweep"}};
    ASSERT_EQ(busy.service.ask("POST", "/api/v1/tasks", many.dump())->status, 201U);
    const Json page = busy.queue("?limit=20");
    EXPECT_EQ(page["tasks"].size(), 20U);
    EXPECT_LE(page["looked_at"], 20);
    const Json sought = busy.queue("?search=nowhere");
    EXPECT_EQ(sought["looked_at"], 10'000) << "a search goes on when it is asked to";
    EXPECT_FALSE(sought["next"].is_null());
}

TEST(View, TheTimelineTellsWhatRanWhereAlsoOverARestart) {
    Service service(2);
    const std::uint64_t id = service.submit("true", {{"name", "quick"}});
    service.wait_until(id, "succeeded");
    const Json answer = service.get("/api/v1/timeline");
    ASSERT_EQ(answer["rows"].size(), 1U);
    EXPECT_EQ(answer["rows"][0][0], id);
    EXPECT_EQ(answer["rows"][0][8], "succeeded");
    EXPECT_EQ(answer["rows"][0][9], "quick");
    service.kill_server(SIGKILL);
    service.start();
    const Json again = service.get("/api/v1/timeline?after=" + answer["cursor"].get<std::string>());
    EXPECT_EQ(again["reset"], true);
    ASSERT_EQ(again["rows"].size(), 1U);
    EXPECT_EQ(again["rows"][0][9], "quick");
    EXPECT_EQ(service.ask("GET", "/api/v1/timeline?from=yesterday")->status, 422U);
}

}  // namespace
}  // namespace sy::service_test
