// A million tasks handed in a thousand at a time while the queue is paused, then the server is killed: how long from
// its new start until the first of them has been given to a GPU.
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "clock.h"
#include "service/http/event_stream.h"
#include "service/load.h"
#include "service/round.h"

namespace sy::bench {

namespace {

constexpr double kFirstDispatch = 2;

bool is_ready(const Service& service) {
    const auto ready = service.ask("GET", "/readyz");
    return ready && ready->status == 200;
}

/// Whether a task was given to a GPU within a minute.
bool hear_of_a_start(http::EventStream& events) {
    for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < 60;) {
        const auto event = events.next(60s);
        if (!event || !*event) return false;
        if ((*event)->data.find(R"("what":"started")") != std::string::npos) return true;
    }
    return false;
}

std::vector<Row> restart(Service& service, std::uint64_t tasks) {
    const std::string what = fmt::format("restart after SIGKILL with {} queued: first dispatch", tasks);
    service.kill_server(SIGKILL);
    const Clock::time_point start = Clock::now();
    service.start();
    while (!is_ready(service) && seconds_since(start) < 120) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double ready = seconds_since(start);
    auto events = http::EventStream::open(service.address(), "/api/v1/events", "");
    const bool heard = events && service.ask("POST", "/api/v1/queue/resume") && hear_of_a_start(*events);
    if (!heard) return {no_figure(what, "nothing was started", kFirstDispatch, Aim::at_most)};
    return {{what, seconds_since(start), "s", kFirstDispatch, Aim::at_most},
            {"restart: until it answers", ready, "s", std::nullopt, Aim::at_most}};
}

}  // namespace

std::vector<Row> bench_million_queued(Round& round) {
    constexpr const char* kWhat = "tasks accepted durably, 1,000 a request, 4 connections, nothing running";
    Service& service = round.open();
    const std::uint64_t tasks = round.pace.draws(1'000'000);
    const bool paused = service.ask("POST", "/api/v1/queue/pause").has_value();
    const auto figures = load({.server = service.address(),
                               .task = kCall,
                               .tasks = tasks,
                               .connections = 4,
                               .each = 1000,
                               .service = service.server(),
                               .wait = false});
    if (!paused || !figures)
        return {
            no_figure(kWhat, figures ? "the queue was not paused" : figures.error().message, 150'000, Aim::at_least)};
    std::vector<Row> rows{{kWhat, figures->accepted_per_s, "a second", 150'000, Aim::at_least},
                          {"tasks accepted, 1,000 a request: processor time of all",
                           figures->client_us + figures->service_us, "us", std::nullopt, Aim::at_most}};
    for (Row& row : restart(service, tasks)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace sy::bench
