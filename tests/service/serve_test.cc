// The live service as its users meet it: a real server, real workers, real processes.
#include <algorithm>

#include <gtest/gtest.h>

#include "service/alive.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

TEST(Serve, RunsACommandAndKeepsWhatItWrote) {
    const Service service;
    const std::uint64_t id = service.submit("echo out; echo err >&2; exit 3", {{"name", "three"}});
    const Json task = service.wait_until(id, "failed");
    EXPECT_EQ(task["name"], "three");
    ASSERT_EQ(task["attempts"].size(), 1U);
    EXPECT_EQ(task["attempts"][0]["exit_code"], 3);
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", id))->body, "out\n");
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs?stream=err", id))->body, "err\n");
}

TEST(Serve, SaysWhyATaskWaits) {
    const Service service;
    const std::uint64_t gang = service.submit("sleep 60", {{"gpus", 2}});
    service.wait_until(gang, "running");
    const std::uint64_t next = service.submit("true");
    const std::uint64_t last = service.submit("true");
    const Json first = service.get(fmt::format("/api/v1/tasks/{}/explain", next));
    EXPECT_EQ(first["behind"], nullptr);
    EXPECT_EQ(first["gpus"]["busy"], 2);
    const Json second = service.get(fmt::format("/api/v1/tasks/{}/explain", last));
    EXPECT_EQ(second["behind"], next);
    EXPECT_EQ(second["position"], 1);
    EXPECT_EQ(service.get("/api/v1/queue")["queued"], 2);
}

TEST(Serve, RefusesWhatItCannotDoInWords) {
    const Service service;
    const auto refusal = [&](const std::string& body) {
        const auto response = service.ask("POST", "/api/v1/tasks", body);
        return fmt::format("{} {}", response->status, std::string(Json::parse(response->body)["error"]));
    };
    EXPECT_EQ(refusal("{"), "400 the body is not JSON");
    EXPECT_EQ(refusal("{}"), "422 the task has neither a command nor a model");
    EXPECT_EQ(refusal(R"({"command": "rm -rf /"})"),
              "422 command is \"rm -rf /\", it must be a list of 1 to 4096 texts: the program and its arguments");
    EXPECT_EQ(refusal(R"({"command": ["true"], "gpu": 1})"), "422 a task has no field 'gpu'");
    EXPECT_EQ(refusal(R"({"command": ["true"], "timeout_s": -1})"),
              "422 timeout_s is -1, it must be a number from 0.001 to 3.1536e+07");
    EXPECT_EQ(refusal(R"({"command": ["true"], "env": {"LD_PRELOAD": "x"}})"),
              "422 env is \"LD_PRELOAD\", it must be names of letters, digits and _ that begin with neither LD_ nor "
              "SWITCHYARD_");
    EXPECT_EQ(refusal(R"({"command": ["true"], "gpus": 3})"), "422 asks for 3 GPUs of one node, the widest node has 2");
    EXPECT_EQ(refusal(R"({"tasks": []})"), "422 tasks must be a list of 1 to 100000 tasks");
    EXPECT_EQ(refusal(R"({"tasks": [{"command": ["true"]}, {"command": []}]})").substr(0, 24),
              "422 task 1: command is [");
    EXPECT_EQ(service.ask("GET", "/api/v1/tasks/99")->status, 404U);
    EXPECT_EQ(service.ask("DELETE", "/api/v1/tasks/99")->status, 404U);
    EXPECT_EQ(service.ask("PUT", "/api/v1/tasks")->status, 405U);
    EXPECT_EQ(service.ask("GET", "/etc/passwd")->status, 404U);
    EXPECT_EQ(service.get("/api/v1/tasks")["tasks"].size(), 0U) << "nothing was half taken";
}

TEST(Serve, APageInABrowserCannotUseIt) {
    const Service service;
    const std::string body = R"({"command": ["true"]})";
    const auto post = [&](const std::string& headers) {
        return service
            .say(fmt::format("POST /api/v1/tasks HTTP/1.1\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n{}",
                             headers, body.size(), body))
            .substr(0, 12);
    };
    const std::string json = "Content-Type: application/json\r\n";
    EXPECT_EQ(post("Host: localhost\r\n" + json), "HTTP/1.1 201");
    EXPECT_EQ(post("Host: localhost\r\nOrigin: http://evil.example\r\n" + json), "HTTP/1.1 403");
    EXPECT_EQ(post("Host: localhost:80\r\nOrigin: http://localhost:80\r\n" + json), "HTTP/1.1 201");
    EXPECT_EQ(post("Host: localhost:80\r\nOrigin: http://localhost:81\r\n" + json), "HTTP/1.1 403");
    EXPECT_EQ(post("Host: evil.example:7878\r\n" + json), "HTTP/1.1 403");
    EXPECT_EQ(post("Host: localhost\r\nContent-Type: text/plain\r\n"), "HTTP/1.1 415");
}

TEST(Serve, CancelEndsTheWholeTree) {
    const Service service;
    const std::string pids = service.folder() + "/pids";
    const std::uint64_t id =
        service.submit(fmt::format("(setsid sh -c 'echo $$ >> {0}; exec sleep 1000' &); sleep 1000 & "
                                   "echo $! >> {0}; echo $$ >> {0}; wait",
                                   pids));
    const auto written = [&] {
        const std::string text = service.file("pids");
        return std::count(text.begin(), text.end(), '\n');
    };
    for (int i = 0; i < 5000 && written() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id))->status, 202U);
    const Json cancelled = service.wait_until(id, "cancelled");
    std::stringstream list(service.file("pids"));
    int seen = 0;
    for (pid_t pid = 0; list >> pid; ++seen) EXPECT_FALSE(is_alive(pid)) << pid;
    EXPECT_EQ(seen, 3);
    const auto gpu = cancelled["attempts"][0]["gpus"][0].get<std::size_t>();
    EXPECT_EQ(service.get("/api/v1/gpus")["gpus"][gpu]["state"], "free");
}

TEST(Serve, ARunningTaskOutlivesItsServer) {
    Service service;
    const std::uint64_t id = service.submit(fmt::format("echo on > {}/going; sleep 3", service.folder()));
    for (int i = 0; i < 5000 && service.file("going").empty(); ++i)  // to be shown as running is not yet to run
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.task(id)["state"], "running");
    const Json task = service.wait_until(id, "succeeded");
    EXPECT_EQ(task["attempts"].size(), 1U) << task.dump(2);
}

TEST(Serve, WhatADeadWorkerRanRunsAgain) {
    const Service service;
    const std::uint64_t id = service.submit("sleep 2");
    const Json running = service.wait_until(id, "running");
    ::kill(service.worker(running["attempts"][0]["gpus"][0]), SIGKILL);
    const Json task = service.wait_until(id, "succeeded");
    EXPECT_EQ(task["attempts"].size(), 2U);
    EXPECT_EQ(task["attempts"][0]["note"], fmt::format("attempt 1 of task {} void: worker lost", id));
}

TEST(Serve, WhatMayRunOnlyOnceIsNotTriedAgain) {
    const Service service;
    const std::uint64_t id = service.submit("sleep 60", {{"at_most_once", true}, {"retries", 5}});
    const Json running = service.wait_until(id, "running");
    ::kill(service.worker(running["attempts"][0]["gpus"][0]), SIGKILL);
    EXPECT_EQ(service.wait_until(id, "lost")["attempts"].size(), 1U);
}

TEST(Serve, APausedQueueStartsNothing) {
    const Service service;
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/pause")->status, 202U);
    const std::uint64_t id = service.submit("true");
    EXPECT_EQ(service.task(id)["state"], "queued");
    EXPECT_EQ(service.get(fmt::format("/api/v1/tasks/{}/explain", id))["paused"], true);
    ASSERT_EQ(service.ask("POST", "/api/v1/queue/resume")->status, 202U);
    EXPECT_EQ(service.wait_until(id, "succeeded")["state"], "succeeded");
}

TEST(Serve, StopsWhenWhatRunsHasEnded) {
    Service service;
    const std::uint64_t running = service.submit("sleep 2", {{"gpus", 2}});
    service.wait_until(running, "running");
    const std::uint64_t waiting = service.submit("true");
    service.signal_server(SIGTERM);
    EXPECT_EQ(service.wait_for_server(), 0);
    service.start();
    EXPECT_EQ(service.task(running)["state"], "succeeded");
    const Json task = service.wait_until(waiting, "succeeded");
    EXPECT_EQ(task["state"], "succeeded");
    EXPECT_EQ(task["attempts"].size(), 1U);
}

TEST(Serve, WhatHoldsUpAStopCanBeCancelled) {
    Service service;
    const std::uint64_t id = service.submit("sleep 1000");
    service.wait_until(id, "running");
    service.signal_server(SIGTERM);
    for (int i = 0; i < 1000 && service.submit("true") != 0; ++i) {
    }
    EXPECT_EQ(service.ask("POST", "/api/v1/tasks", R"({"command": ["true"]})")->status, 503U);
    EXPECT_EQ(service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id))->status, 202U);
    EXPECT_EQ(service.wait_for_server(), 0);
}

TEST(Serve, ManyTasksInOneRequest) {
    const Service service;
    Json tasks = Json::array();
    for (int i = 0; i < 200; ++i) tasks.push_back({{"command", {"true"}}});
    const auto response = service.ask("POST", "/api/v1/tasks", Json{{"tasks", tasks}}.dump());
    ASSERT_EQ(response->status, 201U) << response->body;
    const Json ids = Json::parse(response->body)["tasks"];
    ASSERT_EQ(ids.size(), 200U);
    for (const Json& placed : ids) EXPECT_EQ(service.wait_until(placed["id"], "succeeded")["state"], "succeeded");
}

}  // namespace
}  // namespace sy::service_test
