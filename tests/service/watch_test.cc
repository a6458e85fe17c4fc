// What a running service tells those who watch it.
#include <cstdlib>

#include <gtest/gtest.h>
#include <termios.h>

#include "service/exposition.h"
#include "service/http/event_stream.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

Exposition scrape(const Service& service) {
    const auto page = service.ask("GET", "/metrics");
    return Exposition(page ? page->body : "no page");
}

TEST(Metrics, CountWhatHappened) {
    const Service service;
    const std::uint64_t good = service.submit("true", {{"priority", "HIGH"}});
    const std::uint64_t bad = service.submit("exit 1", {{"retries", 2}});
    service.wait_until(good, "succeeded");
    service.wait_until(bad, "failed");
    const std::uint64_t hit = service.submit("sleep 2");
    const Json running = service.wait_until(hit, "running");
    ::kill(service.worker(running["attempts"][0]["gpus"][0]), SIGKILL);
    service.wait_until(hit, "succeeded");
    const Exposition page = scrape(service);
    EXPECT_EQ(page.complaints(), "");
    EXPECT_EQ(page.value("scheduler_schedule_total"), 6);
    EXPECT_EQ(page.value("scheduler_schedule_failures{cause=\"failed\"}"), 3);
    EXPECT_EQ(page.value("scheduler_schedule_failures{cause=\"lost\"}"), 1);
    EXPECT_EQ(page.value("scheduler_queue_wait_seconds_count{priority=\"HIGH\"}"), 1);
    EXPECT_EQ(page.value("scheduler_queue_wait_seconds_count{priority=\"NORMAL\"}"), 5);
    EXPECT_EQ(page.value("switchyard_tasks_ended_total{end=\"succeeded\"}"), 2);
    EXPECT_EQ(page.value("switchyard_workers_lost_total"), 1);
    EXPECT_GT(page.value("switchyard_commit_latency_seconds_count"), 5);
}

TEST(Metrics, WhatWaitedBeforeARestartIsStillCounted) {
    Service service;
    service.ask("POST", "/api/v1/queue/pause");
    for (int i = 0; i < 3; ++i) service.submit("true", {{"priority", "LOW"}});
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(scrape(service).value("scheduler_queue_size{priority=\"LOW\"}"), 3);
    EXPECT_EQ(scrape(service).value("switchyard_queue_paused"), 1);
}

/// One complaint is foreseen: the requirements name a counter that does not end in _total.
TEST(Metrics, PromtoolFindsNothingElse) {
    if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool (package prometheus) is missing";
    const Service service;
    service.wait_until(service.submit("true"), "succeeded");
    std::ofstream(service.folder() + "/page") << service.ask("GET", "/metrics")->body;
    const std::string command = fmt::format("promtool check metrics < {0}/page > {0}/found 2>&1", service.folder());
    std::system(command.c_str());
    EXPECT_EQ(service.file("found"), "scheduler_schedule_failures counter metrics should have \"_total\" suffix\n");
}

http::EventStream listen(const Service& service, const std::string& filter = "", const std::string& last = "") {
    auto stream = http::EventStream::open("unix:" + service.folder() + "/api.sock", "/api/v1/events" + filter, last);
    EXPECT_TRUE(stream) << stream.error().message;
    return std::move(*stream);
}

/// The next event: "task 1 started" and so on; empty where none comes.
std::string hear(http::EventStream& stream, std::string* id = nullptr) {
    const auto event = stream.next(10s);
    if (!event || !*event) return "";
    if (id != nullptr) *id = (*event)->id;
    const Json said = Json::parse((*event)->data);
    std::string text = (*event)->name;
    if (said.contains("task")) text += fmt::format(" {}", said["task"].get<std::uint64_t>());
    if (said.contains("gpu")) text += fmt::format(" {}", said["gpu"].get<std::uint64_t>());
    if (said.contains("what")) text += " " + said["what"].get<std::string>();
    if (said.value("what", "") == "ended") text += " " + said["state"].get<std::string>();
    return text;
}

std::string hear_some(http::EventStream& stream, int count, std::string* id = nullptr) {
    std::string text;
    for (int i = 0; i < count; ++i) text += hear(stream, id) + "; ";
    return text;
}

TEST(Events, TellATasksLifeInItsOrder) {
    const Service service;
    auto events = listen(service, "?task=1");
    service.submit("exit 3", {{"retries", 1}});
    service.submit("true");
    EXPECT_EQ(hear_some(events, 6),
              "hello; task 1 accepted; task 1 started; task 1 requeued; task 1 started; task 1 ended failed; ");
}

TEST(Events, TellOfWorkersAndTheQueue) {
    const Service service(1);
    service.wait_until(service.submit("true"), "succeeded");
    auto events = listen(service);
    ::kill(service.worker(0), SIGKILL);
    EXPECT_EQ(hear_some(events, 3), "hello; worker 0 lost; worker 0 back; ");
    service.ask("POST", "/api/v1/queue/pause");
    service.ask("POST", "/api/v1/queue/resume");
    EXPECT_EQ(hear_some(events, 2), "queue paused; queue resumed; ");
}

TEST(Events, GoOnWhereAListenerStopped) {
    const Service service;
    std::string id;
    {
        auto events = listen(service, "?task=1");
        service.submit("true");
        EXPECT_EQ(hear_some(events, 2, &id), "hello; task 1 accepted; ");
    }
    service.wait_until(1, "succeeded");
    auto events = listen(service, "?task=1", id);
    EXPECT_EQ(hear_some(events, 3), "hello; task 1 started; task 1 ended succeeded; ");
    auto by_query = listen(service, "?task=1&after=" + id);
    EXPECT_EQ(hear_some(by_query, 2), "hello; task 1 started; ");
}

TEST(Events, ARestartIsAGap) {
    Service service;
    std::string id;
    {
        auto events = listen(service);
        EXPECT_EQ(hear(events, &id), "hello");
    }
    service.kill_server(SIGKILL);
    service.start();
    auto events = listen(service, "", id);
    EXPECT_EQ(hear(events), "gap");
}

TEST(Events, AHundredListenersAllHearEverything) {
    const Service service;
    std::vector<http::EventStream> crowd;
    for (int i = 0; i < 100; ++i) crowd.push_back(listen(service, "?task=3"));
    for (int i = 0; i < 3; ++i) service.submit("true");
    for (auto& events : crowd)
        ASSERT_EQ(hear_some(events, 4), "hello; task 3 accepted; task 3 started; task 3 ended succeeded; ");
    EXPECT_EQ(scrape(service).value("switchyard_event_listeners"), 100);
}

TEST(Events, WhoNeverReadsHurtsNobody) {
    const Service service;
    std::vector<http::EventStream> idle;
    for (int i = 0; i < 5; ++i) idle.push_back(listen(service));
    service.ask("POST", "/api/v1/queue/pause");
    Json tasks = Json::array();
    for (int i = 0; i < 20'000; ++i) tasks.push_back({{"command", {"true"}}});
    ASSERT_EQ(service.ask("POST", "/api/v1/tasks", Json{{"tasks", tasks}}.dump())->status, 201U);
    auto events = listen(service, "?task=1");
    ASSERT_EQ(service.ask("DELETE", "/api/v1/tasks/1")->status, 202U);
    EXPECT_EQ(hear_some(events, 2), "hello; task 1 ended cancelled; ");
}

/// The program's exit code, when it has ended.
int wait_for(pid_t program) {
    int status = 0;
    ::waitpid(program, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string output_of(const Service& service, const std::string& words) {
    const std::string command = fmt::format("{} {} --server unix:{}/api.sock </dev/null >{}/said 2>&1",
                                            SWITCHYARD_BINARY, words, service.folder(), service.folder());
    static_cast<void>(!std::system(command.c_str()));
    return service.file("said");
}

TEST(Top, WithoutATerminalItPrintsOnePicture) {
    const Service service;
    const std::uint64_t id = service.submit("sleep 60", {{"name", "long\x1b[2Jone"}, {"gpus", 2}});
    service.wait_until(id, "running");
    service.submit("true", {{"priority", "HIGH"}});
    const std::string picture = output_of(service, "top");
    EXPECT_NE(picture.find("2 simulated GPUs: 2 busy, 0 without a worker"), std::string::npos) << picture;
    EXPECT_NE(picture.find("queue 1  CRITICAL 0  HIGH 1  NORMAL 0  LOW 0"), std::string::npos) << picture;
    EXPECT_NE(picture.find("long?[2Jone"), std::string::npos) << "a name cannot speak to the terminal";
    EXPECT_EQ(picture.find('\x1b'), std::string::npos);
    const Json document = Json::parse(output_of(service, "top --json"));
    EXPECT_EQ(document["running"][0]["id"], id);
    EXPECT_EQ(document["queue"]["by_priority"]["HIGH"], 1);
    EXPECT_EQ(document["gpus"].size(), 2U);
}

TEST(Top, LeavesTheTerminalAsItWas) {
    const Service service;
    for (const char* key : {"q", "\003"}) {
        const int main = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        ASSERT_EQ(::grantpt(main), 0);
        ASSERT_EQ(::unlockpt(main), 0);
        const int side = ::open(::ptsname(main), O_RDWR | O_NOCTTY | O_CLOEXEC);
        termios before{};
        ::tcgetattr(side, &before);
        const std::string server = "unix:" + service.folder() + "/api.sock";
        const pid_t program = ::fork();
        if (program == 0) {
            for (const int fd : {0, 1, 2}) ::dup2(side, fd);
            ::execl(SWITCHYARD_BINARY, "switchyard", "top", "--server", server.c_str(), nullptr);
            ::_exit(127);
        }
        std::string seen;
        const auto read_until = [&](const char* text) {
            for (char buffer[4096]; seen.find(text) == std::string::npos;) {
                const ssize_t n = ::read(main, buffer, sizeof buffer);
                if (n <= 0) return;
                seen.append(buffer, static_cast<std::size_t>(n));
            }
        };
        read_until("2 simulated GPUs");
        ASSERT_EQ(::write(main, key, 1), 1);
        read_until("\x1b[?1049l");
        EXPECT_EQ(wait_for(program), 0);
        termios after{};
        ::tcgetattr(side, &after);
        EXPECT_EQ(after.c_lflag, before.c_lflag);
        EXPECT_NE(seen.find("\x1b[?1049h"), std::string::npos);
        ::close(side);
        ::close(main);
    }
}

TEST(Events, WhoWaitsForATaskWaitsOverARestart) {
    Service service;
    const std::string server = "unix:" + service.folder() + "/api.sock";
    const std::string script = fmt::format("echo on > {0}/going; sleep 0.6; exit 7", service.folder());
    const pid_t program = ::fork();
    if (program == 0) {
        ::execl(SWITCHYARD_BINARY, "switchyard", "submit", "--wait", "--server", server.c_str(), "--", "sh", "-c",
                script.c_str(), nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 5000 && service.file("going").empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(wait_for(program), 7);
}

TEST(Events, LogsAreFollowedFromAttemptToAttempt) {
    const Service service;
    const std::string server = "unix:" + service.folder() + "/api.sock";
    const std::uint64_t id = service.submit("echo try $SWITCHYARD_ATTEMPT; sleep 0.2; exit 1", {{"retries", 1}});
    const pid_t program = ::fork();
    if (program == 0) {
        const int out = ::open((service.folder() + "/followed").c_str(), O_WRONLY | O_CREAT, 0600);
        ::dup2(out, 1);
        ::execl(SWITCHYARD_BINARY, "switchyard", "logs", "-f", "--server", server.c_str(), std::to_string(id).c_str(),
                nullptr);
        ::_exit(127);
    }
    EXPECT_EQ(wait_for(program), 0);
    EXPECT_EQ(service.file("followed"), "try 1\ntry 2\n");
}

}  // namespace
}  // namespace sy::service_test
