// How long nobody leads: with a million tasks queued, by a standby that has followed and by one that was only just
// started; and over fifty strikes under load, with every promise checked at their end.
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "clock.h"
#include "redis/pairs.h"
#include "service/load.h"
#include "service/processor_time.h"
#include "service/takeover_storm.h"

namespace sy::bench {

namespace {

using service_test::Contenders;

constexpr int kLease = 2;      ///< Seconds.
constexpr double kBeyond = 2;  ///< Seconds that a takeover may take beyond the lease.
constexpr std::uint64_t kTasks = 1'000'000;

/// From the death of who leads to the first answer to a submission.
double take_over(Contenders& servers, const std::string& key) {
    const int leads = servers.wait_for_leader();
    SY_CHECK(leads >= 0, "nobody leads");
    servers.signal(static_cast<unsigned>(leads), SIGKILL);
    const auto start = Clock::now();
    SY_CHECK(servers.submit(key, "true", std::chrono::seconds(120)) != 0, "nobody took over");
    const double seconds = seconds_since(start);
    servers.wait_for(static_cast<unsigned>(leads));
    return seconds;
}

/// It has nothing left to read when its processor time stands still.
void wait_until_idle(pid_t process) {
    for (double before = -1, used = 0; used - before > 0.05; std::this_thread::sleep_for(std::chrono::seconds(1)))
        before = std::exchange(used, tree_seconds(process));
}

}  // namespace

std::vector<Row> bench_takeover(RedisRound& round) {
    const RedisServer redis;
    Contenders servers(redis, {.servers = 2, .gpus = 2, .lease_s = kLease, .patience = 300ms});
    servers.start(0);
    SY_CHECK(servers.wait_for_leader() == 0, "the first does not lead: {}", servers.file("server-0.log"));
    servers.start(1);
    SY_CHECK(servers.says(1, "standing by"), "the second does not stand by");
    const std::uint64_t tasks = round.pace.draws(kTasks);
    servers.ask("POST", "/api/v1/queue/pause");
    const auto filled = load({.server = "unix:" + servers.folder() + "/api.sock",
                              .task = R"({"command": ["/bin/true"], "memory_mb": 100})",
                              .tasks = tasks,
                              .connections = 4,
                              .each = 1000,
                              .wait = false});
    SY_CHECK(filled, "{}", filled.error().message);
    wait_until_idle(servers.pid(1));
    const double followed = take_over(servers, "after the first");
    servers.start(0);
    SY_CHECK(servers.says(0, "standing by"), "the first does not stand by");
    const double fresh = take_over(servers, "after the second");
    const auto what = [&](const char* who) {
        return fmt::format("takeover with {} queued, a lease of {} s, by {}", tasks, kLease, who);
    };
    return {{what("one that had followed"), followed, "s", kLease + kBeyond, Aim::at_most},
            {what("one that was just started"), fresh, "s", std::nullopt, Aim::at_most}};
}

std::vector<Row> bench_storm(RedisRound& round) {
    RedisServer redis({"--appendonly", "yes", "--appendfsync", "always"});
    Contenders servers(redis, {.servers = 3, .gpus = 4, .lease_s = kLease, .patience = 300ms});
    for (unsigned i = 0; i < 3; ++i) servers.start(i);
    SY_CHECK(servers.wait_for_leader() >= 0, "nobody leads: {}", servers.file("server-0.log"));
    const std::uint64_t seed = std::random_device{}();
    const auto strikes = static_cast<int>(round.pace.draws(50));
    auto report = service_test::run_takeover_storm(servers, redis, {.strikes = strikes, .seed = seed});
    if (!report.complaints.empty()) fmt::print(stderr, "seed {}:\n{}", seed, report.complaints);
    const auto broken = std::count(report.complaints.begin(), report.complaints.end(), '\n');
    return {{fmt::format("{} leaders killed, {} stopped beyond their lease, Redis killed {} times: promises broken",
                         report.killed, report.stopped, report.redis_restarts),
             static_cast<double>(broken), "", 0, Aim::at_most},
            {"the same: tasks answered, all of them ended once, never interrupted",
             static_cast<double>(report.answered), "tasks", std::nullopt, Aim::at_least},
            {fmt::format("the same: takeover, a lease of {} s, p50", kLease), percentile(report.takeovers, 0.5), "s",
             std::nullopt, Aim::at_most},
            {fmt::format("the same: takeover, a lease of {} s, the slowest", kLease), percentile(report.takeovers, 1),
             "s", kLease + kBeyond, Aim::at_most},
            {"the same: Redis killed and started, until a task is taken, the slowest", percentile(report.restarts, 1),
             "s", std::nullopt, Aim::at_most}};
}

}  // namespace sy::bench
