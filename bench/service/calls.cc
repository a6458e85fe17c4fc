// Tasks end to end, over 50 lines, durable at both ends: calls of a loaded model that does nothing, and /bin/true.
#include "service/load.h"
#include "service/round.h"

namespace sy::bench {

namespace {

constexpr std::uint64_t kCalls = 60'000;
constexpr std::uint64_t kCommands = 6'000;
constexpr std::uint64_t kWarmUp = 800;

}  // namespace

std::vector<Row> bench_calls(Round& round) {
    constexpr const char* kWhat = "no-op calls end to end, 50 connections";
    Service& service = round.open();
    LoadWish wish{.server = service.address(), .task = kCall, .tasks = kWarmUp, .service = service.server()};
    const auto warm = load(wish);
    wish.tasks = round.pace.draws(kCalls);
    const auto figures = warm ? load(wish) : warm;
    if (!figures) return {no_figure(kWhat, figures.error().message, 40'000, Aim::at_least)};
    return {{kWhat, figures->ended_per_s, "a second", 40'000, Aim::at_least},
            {"no-op calls: processor time of all, client included", figures->client_us + figures->service_us, "us", 40,
             Aim::at_most},
            {"no-op calls: processor time of the client", figures->client_us, "us", std::nullopt, Aim::at_most},
            {"single submissions, 50 connections, while calls run", figures->accepted_per_s, "a second", std::nullopt,
             Aim::at_least}};
}

std::vector<Row> bench_commands(Round& round) {
    constexpr const char* kWhat = "/bin/true as command tasks, 8 GPUs";
    const double before = round.forks_per_s();
    Service& service = round.open();
    const auto figures = load({.server = service.address(),
                               .task = R"({"command": ["/bin/true"], "memory_mb": 100})",
                               .tasks = round.pace.draws(kCommands),
                               .service = service.server()});
    if (!figures) return {no_figure(kWhat, figures.error().message, 70, Aim::at_least)};
    const double ceiling = (before + round.forks_per_s()) / 2;
    return {{kWhat, figures->ended_per_s, "a second", std::nullopt, Aim::at_least},
            {"/bin/true as command tasks, part of what fork and exec alone reach", figures->ended_per_s / ceiling * 100,
             "%", 70, Aim::at_least},
            {"/bin/true as command tasks: processor time of all", figures->client_us + figures->service_us, "us",
             std::nullopt, Aim::at_most}};
}

}  // namespace sy::bench
