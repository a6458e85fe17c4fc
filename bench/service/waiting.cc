// What one client waits for that is alone: the answer to a submission, and the result of a call.
#include <chrono>

#include <fmt/format.h>

#include "clock.h"
#include "service/http/event_stream.h"
#include "service/line.h"
#include "service/load.h"
#include "service/round.h"

namespace sy::bench {

namespace {

double us_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Hands one in and waits until its end is told; the microseconds, or nothing where it is not.
std::optional<double> call_and_wait(Line& line, http::EventStream& events) {
    const Clock::time_point start = Clock::now();
    const Json placed = Json::parse(line.ask(request_text("POST", "/api/v1/tasks", kCall)).body, nullptr, false);
    if (!placed.is_object() || !placed.contains("id")) return std::nullopt;
    const std::string end = fmt::format(R"({{"task":{},"what":"ended","state":"succeeded")", placed["id"].dump());
    for (;;) {
        const auto event = events.next(10s);
        if (!event || !*event) return std::nullopt;
        if ((*event)->data.starts_with(end)) return us_since(start);
    }
}

}  // namespace

std::vector<Row> bench_submit(Round& round) {
    constexpr const char* kWhat = "one durable submission at a time, p50";
    const double before = round.fdatasync_us();
    Service& service = round.open();
    if (!service.ask("POST", "/api/v1/queue/pause"))
        return {no_figure(kWhat, "the queue was not paused", 3 * before, Aim::at_most)};
    const auto figures = load(
        {.server = service.address(), .task = kCall, .tasks = round.pace.draws(5000), .connections = 1, .wait = false});
    if (!figures) return {no_figure(kWhat, figures.error().message, 3 * before, Aim::at_most)};
    const double limit = 3 * (before + round.fdatasync_us()) / 2;
    return {{kWhat, figures->submit_p50_us, "us", limit, Aim::at_most},
            {"one durable submission at a time, p99", figures->submit_p99_us, "us", std::nullopt, Aim::at_most}};
}

std::vector<Row> bench_idle(Round& round) {
    constexpr const char* kWhat = "submission to result on an idle service, p50";
    Service& service = round.open();
    auto line = Line::open(service.address());
    auto events = http::EventStream::open(service.address(), "/api/v1/events", "");
    if (!line || !events) return {no_figure(kWhat, "nobody answers", 1000, Aim::at_most)};
    std::vector<double> times;
    const std::size_t calls = round.pace.draws(3000);
    constexpr int kWarmUp = 50;
    for (int i = 0; i < kWarmUp; ++i) call_and_wait(*line, *events);
    while (times.size() < calls) {
        const auto time = call_and_wait(*line, *events);
        if (!time) return {no_figure(kWhat, "a call did not end", 1000, Aim::at_most)};
        times.push_back(*time);
    }
    return {{kWhat, percentile(times, 0.5), "us", 1000, Aim::at_most},
            {"submission to result on an idle service, p99", percentile(times, 0.99), "us", 4000, Aim::at_most}};
}

}  // namespace sy::bench
