// What can be asked of the queue beside running one command: later, after others, many alike, once for sure, once more.
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

std::string state_of(const Service& service, std::uint64_t id) {
    return service.task(id)["state"];
}

Json posted(const Service& service, const Json& body) {
    const auto response = service.ask("POST", "/api/v1/tasks", body.dump());
    Json answer = Json::parse(response->body);
    answer["status"] = response->status;
    return answer;
}

TEST(Queue, ADelayedTaskWaitsForItsTimeEvenOverARestart) {
    Service service;
    const std::uint64_t id = service.submit("true", {{"delay_s", 4.0}});
    EXPECT_EQ(state_of(service, id), "delayed");
    EXPECT_GT(service.get(fmt::format("/api/v1/tasks/{}/explain", id))["held_s"], 0.0);
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(state_of(service, id), "delayed");
    EXPECT_EQ(service.wait_until(id, "succeeded")["state"], "succeeded");
}

TEST(Queue, ATaskRunsAfterThoseItNeeds) {
    const Service service;
    const std::string file = service.folder() + "/seen";
    const std::uint64_t first = service.submit("sleep 1; echo first >> " + file);
    const std::uint64_t second = service.submit("echo second >> " + file, {{"after", {first}}});
    EXPECT_EQ(state_of(service, second), "blocked");
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", second))["needs"], Json::array({first}));
    service.wait_until(second, "succeeded");
    EXPECT_EQ(service.file("seen"), "first\nsecond\n");
    const std::uint64_t third = service.submit("true", {{"after", {first, second}}});
    EXPECT_EQ(service.wait_until(third, "succeeded")["state"], "succeeded") << "what has succeeded holds up nobody";
}

TEST(Queue, WhatNeededAFailureIsSkippedUnlessAnyEndWillDo) {
    const Service service;
    const std::uint64_t bad = service.submit("sleep 1.5; false");
    const std::uint64_t strict = service.submit("true", {{"after", {bad}}});
    const std::uint64_t lenient = service.submit("true", {{"after_any", {bad}}});
    EXPECT_EQ(service.wait_until(strict, "skipped")["state"], "skipped");
    EXPECT_EQ(service.wait_until(lenient, "succeeded")["state"], "succeeded");
    EXPECT_EQ(posted(service, {{"command", {"true"}}, {"after", {bad}}})["error"],
              fmt::format("after: task {} has failed, so this one would never run", bad));
    EXPECT_EQ(posted(service, {{"command", {"true"}}, {"after", {99}}})["error"], "after: there is no task 99");
}

TEST(Queue, AKeyNamesTheSameTaskHoweverOftenItIsSaid) {
    Service service;
    const Json wish{{"command", {"true"}}, {"key", "monday's training"}};
    const Json first = posted(service, wish);
    const Json second = posted(service, wish);
    EXPECT_EQ(first["status"], 201);
    EXPECT_EQ(second["status"], 200);
    EXPECT_EQ(second["id"], first["id"]);
    service.wait_until(first["id"], "succeeded");
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(posted(service, wish)["id"], first["id"]) << "also after a crash and after its end";
    EXPECT_EQ(posted(service, {{"command", {"false"}}, {"key", "monday's training"}})["error"],
              fmt::format("the key 'monday's training' was used for another task, number {}", first["id"].dump()));
    EXPECT_EQ(service.get("/api/v1/tasks")["tasks"].size(), 1U);
}

TEST(Queue, AnArrayIsManyTasksThatKnowTheirNumber) {
    const Service service;
    const std::string body = R"({"command": ["sh", "-c", "echo $SWITCHYARD_ARRAY_INDEX of $SWITCHYARD_ARRAY_COUNT"],
                                 "name": "sweep", "array": 3})";
    const Json answer = posted(service, Json::parse(body));
    ASSERT_EQ(answer["tasks"].size(), 3U);
    const std::uint64_t last = answer["tasks"][2]["id"];
    EXPECT_EQ(service.wait_until(last, "succeeded")["name"], "sweep[2]");
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", last))->body, "2 of 3\n");
    EXPECT_EQ(service.task(last)["array"]["count"], 3);
}

TEST(Queue, WhatEndedBadlyIsKeptAsideAndCanBeTriedOnceMore) {
    const Service service;
    const std::string flag = service.folder() + "/mended";
    const std::uint64_t bad = service.submit("test -e " + flag, {{"name", "flaky"}});
    service.wait_until(bad, "failed");
    ASSERT_EQ(service.get("/api/v1/dead")["tasks"].size(), 1U);
    std::ofstream(flag) << "yes";
    const auto again = service.ask("POST", fmt::format("/api/v1/tasks/{}/requeue", bad));
    ASSERT_EQ(again->status, 201U);
    const std::uint64_t id = Json::parse(again->body)["id"];
    const Json task = service.wait_until(id, "succeeded");
    EXPECT_EQ(task["name"], "flaky");
    EXPECT_EQ(task["in_place_of"], bad);
    EXPECT_EQ(service.task(bad)["requeued_as"], id);
    EXPECT_EQ(service.get("/api/v1/dead")["tasks"].size(), 0U);
    EXPECT_EQ(service.ask("POST", fmt::format("/api/v1/tasks/{}/requeue", bad))->status, 409U);
}

TEST(Queue, ARetryFindsWhatTheAttemptBeforeItSaved) {
    const Service service(1);
    const std::uint64_t id = service.submit(
        "mkdir -p $SWITCHYARD_CHECKPOINT; cat $SWITCHYARD_CHECKPOINT/step 2>/dev/null; echo step $SWITCHYARD_ATTEMPT > "
        "$SWITCHYARD_CHECKPOINT/step; "
        "test $SWITCHYARD_ATTEMPT -gt 1",
        {{"retries", 1}});
    EXPECT_EQ(service.wait_until(id, "succeeded")["attempts"].size(), 2U);
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", id))->body, "step 1\n");
}

TEST(Queue, ATaskCanBeMovedByItsPriority) {
    const Service service(1);
    service.wait_until(service.submit("sleep 60"), "running");
    const std::uint64_t first = service.submit("true");
    const std::uint64_t second = service.submit("true");
    const auto moved = service.ask("POST", fmt::format("/api/v1/tasks/{}/priority", second), R"({"priority": "HIGH"})");
    EXPECT_EQ(Json::parse(moved->body)["position"], 0);
    EXPECT_EQ(service.task(first)["position"], 1);
    EXPECT_EQ(service.task(second)["priority"], "HIGH");
    EXPECT_EQ(
        service.ask("POST", fmt::format("/api/v1/tasks/{}/priority", second), R"({"priority": "URGENT"})")->status,
        422U);
    EXPECT_EQ(service.ask("POST", "/api/v1/tasks/99/priority", R"({"priority": "HIGH"})")->status, 404U);
}

TEST(Queue, ATaskIsMovedWithinItsLevelAndStaysThereOverARestart) {
    Service service(1);
    service.wait_until(service.submit("sleep 60"), "running");
    const std::uint64_t first = service.submit("true");
    const std::uint64_t second = service.submit("true");
    const std::uint64_t third = service.submit("true");
    const std::uint64_t low = service.submit("true", {{"priority", "LOW"}});
    const auto move = [&](std::uint64_t task, const std::string& where) {
        const auto response = service.ask("POST", fmt::format("/api/v1/tasks/{}/move", task), where);
        const Json body = Json::parse(response->body);
        return response->status == 200 ? "position " + body["position"].dump()
                                       : fmt::format("{} {}", response->status, body["error"].get<std::string>());
    };
    const auto line = [&] {
        std::vector<std::uint64_t> ids;
        const Json page = service.get("/api/v1/queue/tasks?state=queued");
        for (const Json& task : page["tasks"]) ids.push_back(task["id"]);
        return ids;
    };
    EXPECT_EQ(move(third, R"({"to": "front"})"), "position 0");
    EXPECT_EQ(move(first, R"({"to": "back"})"), "position 2");
    EXPECT_EQ(line(), (std::vector{third, second, first, low}));
    EXPECT_EQ(move(first, fmt::format(R"({{"before": {}}})", second)), "position 1");
    EXPECT_EQ(line(), (std::vector{third, first, second, low}));
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(line(), (std::vector{third, first, second, low}));
    EXPECT_EQ(move(low, fmt::format(R"({{"before": {}}})", second)),
              fmt::format("409 task {} is of another level than task {}: change its priority first", low, second));
    EXPECT_EQ(move(1, R"({"to": "front"})"), "409 task 1 does not stand in line: it is at work already");
    EXPECT_EQ(move(99, R"({"to": "front"})"), "404 there is no task 99");
    EXPECT_EQ(move(first, R"({"before": 99})"), "404 there is no task 99");
    const std::uint64_t later = service.submit("true", {{"delay_s", 60}});
    EXPECT_EQ(move(later, R"({"to": "front"})"),
              fmt::format("409 task {} does not stand in line yet: its time has not come, or tasks it waits for have "
                          "not ended",
                          later));
    EXPECT_EQ(move(first, R"({"to": "top"})").substr(0, 3), "422");
}

TEST(Queue, ATaskTiedToABusyGpuIsLetGoElsewhere) {
    const Service service(2);
    const auto is_free = [&](unsigned gpu) { return service.get("/api/v1/gpus")["gpus"][gpu]["state"] == "free"; };
    for (int i = 0; i < 1000 && !(is_free(0) && is_free(1)); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    service.wait_until(service.submit("sleep 60", {{"on", 1}}), "running");
    const std::uint64_t waiting = service.submit("sleep 60", {{"on", 1}});
    const Json why = service.get(fmt::format("/api/v1/tasks/{}/explain", waiting));
    EXPECT_EQ(why["reason"], "the GPU it is tied to is busy");
    const std::string move = fmt::format("/api/v1/tasks/{}/move", waiting);
    EXPECT_EQ(service.ask("POST", move, R"({"to": "anywhere"})")->status, 200U);
    const Json running = service.wait_until(waiting, "running");
    EXPECT_EQ(running["attempts"][0]["gpus"][0], 0) << running.dump(2);
    EXPECT_FALSE(running.contains("on"));
    EXPECT_EQ(service.ask("POST", move, R"({"to": "anywhere"})")->status, 409U) << "it runs";
}

TEST(Queue, MoreThanIsKeptInMemoryWaitsAndRunsAllTheSame) {
    const Service service(1);
    service.ask("POST", "/api/v1/queue/pause");
    const Json answer = posted(service, {{"command", {"true"}}, {"array", 70'000}});
    ASSERT_EQ(answer["tasks"].size(), 70'000U);
    const std::uint64_t last = answer["tasks"].back()["id"];
    EXPECT_EQ(service.task(last)["array"]["index"], 69'999);
    const Json urgent{{"priority", "CRITICAL"}};
    EXPECT_EQ(service.ask("POST", fmt::format("/api/v1/tasks/{}/priority", last), urgent.dump())->status, 200U);
    service.ask("POST", "/api/v1/queue/resume");
    const Json done = service.wait_until(last, "succeeded");
    EXPECT_EQ(done["priority"], "CRITICAL");
    EXPECT_EQ(done["attempts"].size(), 1U);
}

TEST(Queue, ADrainedGpuTakesNothingNewUntilItIsBack) {
    Service service(1);
    EXPECT_EQ(service.ask("POST", "/api/v1/gpus/0/drain")->status, 200U);
    EXPECT_EQ(service.ask("POST", "/api/v1/gpus/7/drain")->status, 404U);
    const std::uint64_t id = service.submit("true");
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"][0]["state"], "draining") << "an operator's word outlives the server";
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", id))["gpus"]["draining"], 1);
    EXPECT_EQ(service.ask("POST", "/api/v1/gpus/0/resume")->status, 200U);
    EXPECT_EQ(service.wait_until(id, "succeeded")["state"], "succeeded");
}

TEST(Queue, WhatIsAskedOfListsIsRefusedWhereItMakesNoSense) {
    const Service service(1);
    const std::uint64_t task = service.submit("true");
    service.wait_until(task, "succeeded");
    const auto error = [&](const std::string& target) {
        const auto response = service.ask("GET", target);
        return fmt::format("{} {}", response->status, Json::parse(response->body).value("error", ""));
    };
    EXPECT_EQ(error("/api/v1/tasks?limit=abc"), "422 limit is 'abc', it must be a whole number from 1 to 1000");
    EXPECT_EQ(error("/api/v1/tasks?limit=1001"), "422 limit is '1001', it must be a whole number from 1 to 1000");
    EXPECT_EQ(error("/api/v1/dead?limit=0"), "422 limit is '0', it must be a whole number from 1 to 1000");
    EXPECT_EQ(error("/api/v1/tasks?before=-1").substr(0, 19), "422 before is '-1',");
    EXPECT_EQ(error(fmt::format("/api/v1/tasks/{}/logs?from=x", task)).substr(0, 16), "422 from is 'x',");
    EXPECT_EQ(service.get("/api/v1/tasks?limit=1")["tasks"].size(), 1U);
}

TEST(Queue, OddWishesAreRefused) {
    const Service service;
    const auto error = [&](const char* more) {
        return std::string(posted(service, Json::parse(fmt::format(R"({{"command": ["true"], {}}})", more)))["error"]);
    };
    EXPECT_EQ(error(R"("delay_s": -1)"), "delay_s is -1, it must be a number from 0 to 3.1536e+07");
    EXPECT_EQ(error(R"("after": 7)"), "after is 7, it must be a list of at most 1000 task numbers");
    EXPECT_EQ(error(R"("after": ["x"])"), "after is \"x\", it must be a task's number");
    EXPECT_EQ(error(R"("array": 0)"), "array is 0, it must be a whole number from 1 to 100000");
}

}  // namespace
}  // namespace sy::service_test
