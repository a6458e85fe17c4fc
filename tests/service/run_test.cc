// Batches run as a whole by a real service: templates, failures, kills, and what is told of them.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

std::string runners(const std::string& folder) {
    const std::string path = folder + "/models.yaml";
    const auto model = [](const char* name, const std::string& how) {
        return fmt::format("  {}: {{{}, memory_mb: 10000}}\n", name, how);
    };
    const std::string echo = fmt::format("command: [{}]", SWITCHYARD_EXAMPLE_RUNNER);
    const std::string waits = fmt::format("command: [{}, pretended-model, --load, \"0.05\"]", SWITCHYARD_BINARY);
    std::ofstream(path) << "models:\n"
                        << model("a", echo) << model("b", echo) << model("slow", waits) << model("late", waits)
                        << model("served", "server: [python3, " SWITCHYARD_SOURCE_DIR
                                           "/examples/runner/openai_server.py, --port, \"${PORT}\"]");
    return path;
}

class Batches {
public:
    explicit Batches(unsigned gpus = 2)
        : service(gpus, {"--models-file", runners(folder.path()), "--max-models-per-gpu", "1"}) {}

    Result<http::Response> hand_in(const Json& batch) const {
        return service.ask("POST", "/api/v1/runs", Json{{"plan_seconds", 0.1}, {"batch", batch}}.dump());
    }
    std::uint64_t run(const Json& batch) const {
        const auto response = hand_in(batch);
        EXPECT_EQ(response->status, 201U) << response->body;
        return response->status == 201 ? Json::parse(response->body)["id"].get<std::uint64_t>() : 0;
    }
    std::string refusal(const Json& batch) const {
        const auto response = hand_in(batch);
        EXPECT_EQ(response->status, 422U) << response->body;
        return Json::parse(response->body)["error"];
    }
    Json look(std::uint64_t id) const { return service.get(fmt::format("/api/v1/runs/{}", id)); }
    Json wait_for(std::uint64_t id, const std::string& state = "ended") const {
        Json last;
        for (int i = 0; i < 3000; ++i) {
            last = look(id);
            if (last.is_object() && last.value("state", "") == state) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return last;
    }
    std::vector<Json> results(std::uint64_t id) const {
        std::vector<Json> lines;
        std::istringstream text(service.ask("GET", fmt::format("/api/v1/runs/{}/results", id))->body);
        for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
        return lines;
    }

    TestFolder folder;
    Service service;
};

Json slow_batch(int requests, double seconds) {
    return {{"workflows",
             {{"w",
               {{"first", {{"model", "slow"}, {"seconds", seconds}}},
                {"then", {{"model", "late"}, {"seconds", seconds}, {"needs", {"first"}}}}}}}},
            {"requests", Json::array({{{"workflow", "w"}, {"count", requests}}})}};
}

TEST(Run, StepsHandTheirOutputsOn) {
    const Batches batches;
    const Json batch{
        {"workflows",
         {{"w",
           {{"ask", {{"model", "a"}, {"input", {{"text", "{{ request.word }}"}}}}},
            {"tell", {{"model", "b"}, {"input", "they said {{ steps.ask.output.text }}"}}},
            {"keep", {{"command", {"echo", "kept: {{ steps.tell.output }}"}}}}}}}},
        {"requests", Json::array({{{"workflow", "w"},
                                   {"items", Json::array({{{"custom_id", "x"}, {"word", "yes"}}, {{"word", 7}}})}}})}};
    const auto id = batches.run(batch);
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 6) << ended.dump(2);
    const auto lines = batches.results(id);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0]["id"], "x");
    EXPECT_EQ(lines[0]["output"], "kept: they said yes");
    EXPECT_EQ(lines[1]["output"], "kept: they said 7");
    EXPECT_EQ(lines[1]["state"], "succeeded");
    const Json timeline = batches.service.get(fmt::format("/api/v1/runs/{}/timeline", id));
    ASSERT_EQ(timeline["jobs"].size(), 6U);
    EXPECT_TRUE(timeline["jobs"][0].contains("plan") && timeline["jobs"][0].contains("actual"));
}

TEST(Run, AStepThatFailsForGoodIsNamedAndTheOthersGoOn) {
    const Batches batches;
    const Json batch{
        {"workflows",
         {{"w",
           {{"try", {{"command", {"sh", "-c", "test {{ request.n }} -ne 2 || { echo no two >&2; exit 3; }"}}}},
            {"after", {{"model", "a"}, {"input", "{{ request.n }}"}, {"needs", {"try"}}}}}}}},
        {"requests", Json::array({{{"workflow", "w"}, {"items", Json::array({{{"n", 1}}, {{"n", 2}}, {{"n", 3}}})}}})}};
    const auto id = batches.run(batch);
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 4) << ended.dump(2);
    EXPECT_EQ(ended["counts"]["failed"], 1);
    EXPECT_EQ(ended["counts"]["skipped"], 1);
    const auto lines = batches.results(id);
    EXPECT_EQ(lines[0]["state"], "succeeded");
    EXPECT_EQ(lines[1]["state"], "failed");
    EXPECT_EQ(lines[1]["steps"]["try"]["exit_code"], 3);
    EXPECT_NE(lines[1]["steps"]["try"]["stderr"].get<std::string>().find("no two"), std::string::npos);
    EXPECT_EQ(lines[1]["steps"]["after"]["state"], "skipped");
}

TEST(Run, AnAnswerWithoutWhatATemplateWantsFailsThatStepAlone) {
    const Batches batches;
    const Json batch{
        {"workflows",
         {{"w",
           {{"ask", {{"model", "a"}, {"input", "{{ request.word }}"}}},
            {"tell", {{"model", "b"}, {"input", "{{ steps.ask.output.text }}"}}}}}}},
        {"requests", Json::array({{{"workflow", "w"},
                                   {"items", Json::array({{{"word", "plain"}}, {{"word", {{"text", "fine"}}}}})}}})}};
    const auto id = batches.run(batch);
    batches.wait_for(id);
    const auto lines = batches.results(id);
    EXPECT_EQ(lines[0]["steps"]["tell"]["error"], "a template asks for 'text' of step ask, which is not there");
    EXPECT_EQ(lines[1]["output"], "fine");
}

TEST(Run, RequestsToAModelServerHandTheirTextsOnAndWhatItRefusesIsNotTriedAgain) {
    const Batches batches(1);
    const Json batch{
        {"workflows",
         {{"w",
           {{"ask", {{"model", "served"}, {"request", {{"messages", "{{ request.messages }}"}}}}},
            {"again",
             {{"model", "served"},
              {"path", "/v1/completions"},
              {"request", {{"prompt", "they said {{ steps.ask.output }}"}}}}}}}}},
        {"requests",
         Json::array(
             {{{"workflow", "w"},
               {"items", Json::array({{{"messages", Json::array({{{"role", "user"}, {"content", "hello you"}}})}},
                                      {{"messages", Json::array()}}})}}})}};
    const auto id = batches.run(batch);
    batches.wait_for(id);
    const auto lines = batches.results(id);
    EXPECT_EQ(lines[0]["output"], "they said hello you") << lines[0].dump(2);
    EXPECT_EQ(lines[1]["steps"]["ask"]["error"], "messages must be a list of at least one message");
    EXPECT_EQ(lines[1]["steps"]["again"]["state"], "skipped");
    const Json all = batches.service.get("/api/v1/tasks");
    EXPECT_EQ(all["tasks"].size(), 3U) << "one of each, and none for what was refused";
}

TEST(Run, KilledWithAllItsWorkersItGoesOnAndDoesNothingTwice) {
    Batches batches;
    const auto id = batches.run(slow_batch(30, 0.03));
    for (int kills = 0; kills < 3; ++kills) {
        std::this_thread::sleep_for(std::chrono::milliseconds(350));
        for (unsigned gpu = 0; gpu < batches.service.gpus(); ++gpu)
            if (const pid_t pid = batches.service.worker(gpu); pid > 0) ::kill(pid, SIGKILL);
        batches.service.kill_server(SIGKILL);
        batches.service.start();
    }
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 60) << ended.dump(2);
    std::set<std::string> ids;
    std::set<std::uint64_t> tasks;
    for (const Json& line : batches.results(id)) {
        EXPECT_EQ(line["state"], "succeeded");
        EXPECT_TRUE(ids.insert(line["id"]).second) << line["id"];
        for (const Json& step : line["steps"]) EXPECT_TRUE(tasks.insert(step["task"].get<std::uint64_t>()).second);
    }
    EXPECT_EQ(ids.size(), 30U);
    std::map<std::string, int> ends;
    const Json all = batches.service.get("/api/v1/tasks?limit=1000");
    for (const Json& task : all["tasks"])
        if (task["name"] != "preload") ++ends[task["state"]];
    EXPECT_EQ(ends["succeeded"], 60) << "each step ended well once, as one task";
}

TEST(Run, ALostWorkerCostsNothingButTime) {
    const Batches batches;
    const auto id = batches.run(slow_batch(20, 0.03));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(batches.service.worker(1), SIGKILL);
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 40) << ended.dump(2);
}

TEST(Run, AModelIsLoadedAsOftenAsPlannedAndNotForEveryCall) {
    const Batches batches;
    const auto id = batches.run(slow_batch(40, 0.005));
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 80);
    EXPECT_LE(ended["switches"], 2 + 2) << "distinct models and workers";
}

TEST(Run, AnUrgentCallNeedNotWaitForTheBatch) {
    const Batches batches(1);
    const auto id = batches.run(slow_batch(40, 0.05));
    while (batches.look(id).value("state", "") != "running") std::this_thread::yield();
    const auto response = batches.service.ask(
        "POST", "/api/v1/tasks", Json{{"model", "slow"}, {"input", {{"seconds", 0}}}, {"priority", "HIGH"}}.dump());
    batches.service.wait_until(Json::parse(response->body)["id"], "succeeded");
    EXPECT_EQ(batches.look(id)["state"], "running");
    EXPECT_EQ(batches.wait_for(id)["counts"]["done"], 80);
}

TEST(Run, ACancelledRunStops) {
    const Batches batches;
    const auto id = batches.run(slow_batch(1000, 0.05));
    batches.wait_for(id, "running");
    EXPECT_EQ(batches.service.ask("DELETE", fmt::format("/api/v1/runs/{}", id))->status, 200U);
    EXPECT_EQ(batches.wait_for(id, "cancelled")["state"], "cancelled");
    for (int i = 0; i < 500 && batches.service.get("/api/v1/queue")["running"] != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(batches.service.get("/api/v1/queue")["running"], 0);
}

TEST(Run, CalledOffAtAnyMomentItLeavesNothingBehind) {
    const Batches batches;
    for (int moment = 0; moment < 25; ++moment) {
        const auto id = batches.run(slow_batch(10, 0.01));
        std::this_thread::sleep_for(
            std::chrono::milliseconds(90 + moment));  // about when its first steps are handed in
        EXPECT_EQ(batches.service.ask("DELETE", fmt::format("/api/v1/runs/{}", id))->status, 200U);
    }
    for (int i = 0; i < 1000 && batches.service.get("/api/v1/queue")["running"] != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Json queue = batches.service.get("/api/v1/queue");
    EXPECT_EQ(queue["running"], 0) << queue.dump();
    EXPECT_EQ(queue["queued"], 0);
    EXPECT_EQ(batches.wait_for(batches.run(slow_batch(2, 0.01)))["counts"]["done"], 4);
}

TEST(Run, WhatRunsNowIsInItsTimelineToo) {
    const Batches batches;
    const auto id = batches.run(slow_batch(2, 30));
    const auto path = fmt::format("/api/v1/runs/{}/timeline", id);
    Json job;
    for (int i = 0; i < 1000 && !job.contains("running"); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const Json timeline = batches.service.get(path);
        for (const Json& each : timeline["jobs"])
            if (each.contains("running")) job = each;
    }
    ASSERT_TRUE(job.contains("running"));
    EXPECT_FALSE(job.contains("actual")) << "it has not ended";
    EXPECT_GE(job["running"]["start_s"], 0) << job.dump();
    EXPECT_EQ(job["running"]["gpus"], 1);
    EXPECT_EQ(batches.service.ask("DELETE", fmt::format("/api/v1/runs/{}", id))->status, 200U);
}

TEST(Run, ADrainedGpuGetsNoMoreOfItsSteps) {
    const Batches batches;
    const auto id = batches.run(slow_batch(40, 0.06));
    batches.wait_for(id, "running");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(batches.service.ask("POST", "/api/v1/gpus/1/drain")->status, 200U);
    const double drained_at = batches.look(id)["elapsed_s"];
    EXPECT_EQ(batches.wait_for(id)["counts"]["done"], 80);
    const Json timeline = batches.service.get(fmt::format("/api/v1/runs/{}/timeline", id));
    int before = 0;
    for (const Json& job : timeline["jobs"]) {
        const Json& actual = job["actual"];
        if (actual["gpu"] != 1) continue;
        ++before;
        EXPECT_LT(actual["start_s"], drained_at + 0.25) << job.dump();
    }
    EXPECT_GT(before, 0) << "it took part until then";
}

TEST(Run, SomebodysLongTaskOnAGpuHoldsNoBatchUpAndTheGpuIsUsedAgainAfterIt) {
    const Batches batches;
    ASSERT_TRUE(batches.service.has_all_workers());
    const auto stranger = batches.service.submit("sleep 100", {{"on", 1}, {"estimate_s", 100}});
    batches.service.wait_until(stranger, "running");
    const auto id = batches.run(slow_batch(40, 0.05));
    for (int i = 0; i < 1000 && batches.look(id)["counts"]["done"] < 10; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(batches.look(id)["gpus_taken"], 1);
    EXPECT_EQ(batches.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", stranger))->status, 202U);
    const double freed_at = batches.look(id)["elapsed_s"];
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 80) << ended.dump(2);
    EXPECT_EQ(ended["gpus_taken"], 0);
    const Json timeline = batches.service.get(fmt::format("/api/v1/runs/{}/timeline", id));
    int there = 0;
    for (const Json& job : timeline["jobs"]) {
        if (job["actual"]["gpu"] != 1) continue;
        ++there;
        EXPECT_GT(job["actual"]["start_s"], freed_at - 1) << job.dump();
    }
    EXPECT_GT(there, 0);
}

TEST(Run, WhatWaitsBehindSomebodysTaskOfUnknownLengthGoesElsewhereAfterAWhile) {
    const Batches batches;
    const auto id = batches.run(slow_batch(40, 0.05));
    batches.wait_for(id, "running");
    const auto stranger = batches.service.submit("sleep 100", {{"on", 1}, {"priority", "HIGH"}});
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 80) << ended.dump(2);
    EXPECT_EQ(batches.service.task(stranger)["state"], "running");
}

TEST(Run, ACancelledStepStaysCancelledOverARestart) {
    Batches batches;
    const auto id = batches.run(slow_batch(6, 0.4));
    std::uint64_t step = 0;
    for (int i = 0; i < 1000 && step == 0; ++i) {
        const Json all = batches.service.get("/api/v1/tasks");
        for (const Json& task : all["tasks"])
            if (task["name"] == "w.first" && task["state"] == "running") step = task["id"];
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(batches.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", step))->status, 202U);
    EXPECT_EQ(batches.service.wait_until(step, "cancelled")["state"], "cancelled");
    batches.service.kill_server(SIGKILL);
    batches.service.start();
    const Json ended = batches.wait_for(id);
    EXPECT_EQ(ended["counts"]["done"], 10) << ended.dump(2);
    EXPECT_EQ(ended["counts"]["skipped"], 2) << "it, and the step that needs it";
}

TEST(Run, WhatCouldNotRunIsRefusedInWords) {
    const Batches batches(1);
    const auto with = [](const Json& step) {
        return Json{{"workflows", {{"w", {{"s", step}}}}}, {"requests", Json::array({{{"workflow", "w"}}})}};
    };
    EXPECT_NE(batches.refusal(with({{"model", "nobody"}, {"input", 1}})).find("no model is called 'nobody'"),
              std::string::npos);
    EXPECT_NE(batches.refusal(with({{"model", "a"}, {"input", "{{ steps.t.output }}"}}))
                  .find("a template names the step 't'"),
              std::string::npos);
    EXPECT_NE(batches.refusal(with({{"model", "a"}, {"input", "{{ steps.s.output }}"}})).find("runs in a circle"),
              std::string::npos);
    Json defined = with({{"model", "ghost"}, {"input", 1}});
    defined["models"] = {{"ghost", {{"memory_gb", 1}}}};
    EXPECT_NE(batches.refusal(defined).find("model ghost has no runner here"), std::string::npos);
    EXPECT_EQ(batches.service.ask("POST", "/api/v1/runs", "{\"batch\": 7}")->status, 422U);
    EXPECT_EQ(batches.service.ask("POST", "/api/v1/runs", "{\"batch\": {}, \"speed\": 7}")->status, 422U);
    EXPECT_EQ(batches.service.ask("GET", "/api/v1/runs/7")->status, 404U);
    EXPECT_EQ(batches.service.ask("GET", "/api/v1/runs/7/results")->status, 404U);
}

}  // namespace
}  // namespace sy::service_test
