// The store in Redis against the plainest queue on the same Redis: one ZADD and one ZPOPMIN a task. A server of its own
// for each mode; nothing but ratios within one run means much on a shared machine.
//
// A task costs the store two records, accepted and ended, and its place in the queue between. They come in turns as
// they do from the engine: a commit holds tasks that arrive, others that start and again others that end.
#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "clock.h"
#include "redis/pairs.h"
#include "suite.h"

namespace sy::bench {

namespace {

constexpr std::size_t kRecord = 300;       ///< Bytes.
constexpr std::size_t kJournalEntry = 60;  ///< Bytes, of each of three.
constexpr double kShareOfPairs = 60;       ///< Percent of the pairs.

struct Rate {
    double per_s = 0;
    double redis_us = 0;  ///< Processor time of Redis for each.
};

template <class Work>
Rate measured(const RedisServer& server, std::uint64_t count, Work work) {
    const double before = redis_seconds(server);
    const double per_s = work();
    return {per_s, (redis_seconds(server) - before) * 1e6 / static_cast<double>(count)};
}

/// What the engine would commit when so many tasks arrive, as many start and as many end.
class Turns {
public:
    explicit Turns(std::uint64_t tasks) : tasks_(tasks) {}

    store::Group next() {
        store::Group group;
        group.journal = std::string(3 * kJournalEntry * tasks_, 'j');
        for (std::uint64_t i = 0; i < tasks_; ++i) {
            const std::uint64_t arriving = turn_ * tasks_ + i + 1;
            add(group, arriving, 0);
            group.queued.push_back({TaskId(arriving), 2, arriving});
            if (turn_ >= 1) group.left.emplace_back(arriving - tasks_);
            if (turn_ >= 2) add(group, arriving - 2 * tasks_, 1'700'000'000'000);
        }
        ++turn_;
        return group;
    }

private:
    static void add(store::Group& group, std::uint64_t task, std::int64_t ended) {
        group.records.push_back({TaskId(task), std::string(kRecord, 'r'), store::Shelf::none, ended});
    }

    std::uint64_t tasks_;
    std::uint64_t turn_ = 0;
};

struct Led {
    store::Leadership leadership;
    std::unique_ptr<store::RedisStore> store;
};

Led lead(const RedisServer& server, const std::string& prefix) {
    store::RedisPlace place = server.place();
    place.prefix = prefix;
    auto leadership = *store::Leadership::open(place, {.address = "bench", .lease = 1h});
    SY_CHECK(*leadership.take() == store::Try::taken, "the bench does not lead");
    auto store = *store::RedisStore::open(place);
    store->lead(leadership.term());
    SY_CHECK(store->recover(), "nothing to recover");
    return {std::move(leadership), std::move(store)};
}

double tasks_per_s(const RedisServer& server, std::uint64_t each, std::uint64_t tasks) {
    const Led led = lead(server, fmt::format("bench-{}", each));
    Turns turns(each);
    const std::uint64_t commits = std::max<std::uint64_t>(tasks / each, 1);
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < commits; ++i)
        if (const auto done = led.store->commit({turns.next()}); !done) SY_CHECK(false, "{}", done.error().message);
    const double per_s = static_cast<double>(commits * each) / seconds_since(start);
    static_cast<void>(server.ask("FLUSHALL"));
    return per_s;
}

std::vector<Row> commits(const std::string& mode, const Pace& pace) {
    const RedisServer server({"--appendonly", "yes", "--appendfsync", mode});
    std::vector<Row> rows;
    for (const std::uint64_t each : {1U, 10U, 100U, 1000U}) {
        const std::uint64_t plain = pace.draws(100'000);
        const std::uint64_t ours = pace.draws(each == 1 ? 10'000 : 100'000);
        const Rate pairs = measured(server, plain, [&] { return pairs_per_s(server, plain); });
        const Rate tasks = measured(server, ours, [&] { return tasks_per_s(server, each, ours); });
        const auto row = [&](const std::string& what, double figure, const char* unit) {
            rows.push_back(
                {fmt::format("{}, {} at once: {}", mode, each, what), figure, unit, std::nullopt, Aim::at_most});
        };
        row("tasks committed", tasks.per_s, "a second");
        row("ZADD and ZPOPMIN from 50 clients", pairs.per_s, "a second");
        row("processor time of Redis for a task", tasks.redis_us, "us");
        row("processor time of Redis for a pair", pairs.redis_us, "us");
        row("share of the pairs", 100 * tasks.per_s / pairs.per_s, "%");
        if (each < 100) continue;  // where the engine is busy, that many wait for a commit
        rows.back().target = kShareOfPairs;
        rows.back().aim = Aim::at_least;
    }
    return rows;
}

std::vector<Row> bench_everysec(RedisRound& round) {
    return commits("everysec", round.pace);
}

std::vector<Row> bench_always(RedisRound& round) {
    return commits("always", round.pace);
}

/// Half of them, and one in a hundred, took longer.
std::vector<Row> percentiles(const std::string& what, std::vector<double> us) {
    std::sort(us.begin(), us.end());
    return {{what + ", p50", us[us.size() / 2], "us", 1'000, Aim::at_most},
            {what + ", p99", us[us.size() * 99 / 100], "us", 1'000, Aim::at_most}};
}

template <class Work>
std::vector<double> timed(std::uint64_t times, Work work) {
    std::vector<double> us;
    for (std::uint64_t i = 0; i < times; ++i) {
        const auto start = Clock::now();
        work(i);
        us.push_back(seconds_since(start) * 1e6);
    }
    return us;
}

std::vector<Row> bench_million(RedisRound& round) {
    const RedisServer server;
    const Led led = lead(server, "switchyard");
    const std::uint64_t tasks = round.pace.draws(1'000'000);
    constexpr std::uint64_t kEach = 10'000;
    for (std::uint64_t from = 0; from < tasks; from += kEach) {
        store::Group group{"queued"};
        for (std::uint64_t i = from; i < from + kEach; ++i)
            group.queued.push_back({TaskId(i + 1), static_cast<std::uint32_t>(i * 7919 % 4), i + 1});
        SY_CHECK(led.store->commit({group}), "not queued");
    }
    auto line = *redis::Connection::open(server.address());
    const auto commit = [&](store::Group group) { SY_CHECK(led.store->commit({std::move(group)}), "not committed"); };
    const std::uint64_t times = round.pace.draws(5'000);
    std::vector<Row> rows;
    const auto add = [&](const std::string& what, std::vector<double> us) {
        for (Row& row : percentiles(fmt::format("{} at {} queued", what, tasks), std::move(us))) rows.push_back(row);
    };
    add("an answer without work",
        timed(times, [&](std::uint64_t) { SY_CHECK(line.ask(redis::Command("PING")), "no answer"); }));
    add("enqueue", timed(times, [&](std::uint64_t i) {
            store::Group group{"one more"};
            group.queued.push_back({TaskId(tasks + i + 1), 2, tasks + i + 1});
            commit(group);
        }));
    add("position", timed(times, [&](std::uint64_t i) {
            SY_CHECK(line.ask(redis::Command("ZRANK", "{switchyard}:queue", i * 7919 % tasks + 1)), "no answer");
        }));
    add("remove", timed(times, [&](std::uint64_t i) {
            store::Group group{"one less"};
            group.left.emplace_back(i * 7919 % tasks + 1);
            commit(group);
        }));
    return rows;
}

}  // namespace

}  // namespace sy::bench

int main(int argc, char** argv) {
    using namespace sy::bench;
    constexpr std::array benches{Bench<RedisRound>{"calls-everysec", bench_calls_everysec},
                                 Bench<RedisRound>{"calls-always", bench_calls_always},
                                 Bench<RedisRound>{"calls-everysec-tcp", bench_calls_everysec_tcp},
                                 Bench<RedisRound>{"calls-always-tcp", bench_calls_always_tcp},
                                 Bench<RedisRound>{"commits-everysec", bench_everysec},
                                 Bench<RedisRound>{"commits-always", bench_always},
                                 Bench<RedisRound>{"million", bench_million},
                                 Bench<RedisRound>{"takeover", bench_takeover},
                                 Bench<RedisRound>{"storm", bench_storm}};
    const auto wishes = Wishes::read({argv + 1, argv + argc});
    if (!wishes || !any_wanted<RedisRound>(benches, *wishes)) return explain_usage<RedisRound>(argv[0], benches);
    RedisRound round{wishes->pace};
    return run_suite<RedisRound>(benches, *wishes, round);
}
