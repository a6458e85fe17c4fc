// The service end to end through Redis: calls of a loaded model that does nothing, over 50 lines, by four workers; and
// the pairs on the same Redis, by turns, so that both have the same machine.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "redis/pairs.h"
#include "service/load.h"
#include "service/service.h"

namespace sy::bench {

namespace {

constexpr unsigned kWorkers = 4;
constexpr int kRounds = 5;
constexpr std::uint64_t kCalls = 30'000;
constexpr std::uint64_t kPairs = 50'000;
constexpr std::uint64_t kWarmUp = 2'000;
constexpr double kShare = 60;  ///< Percent of the pairs.
constexpr const char* kCall = R"({"model": "echo", "input": 1})";

std::string model_file(const std::string& folder) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string path = folder + "/models.yaml";
    std::ofstream(path) << fmt::format("models: {{echo: {{command: [{}/example_runner], memory_mb: 2000}}}}\n",
                                       here.string());
    return path;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Of several rounds.
struct Figures {
    std::vector<double> calls, pairs, shares;
    std::vector<double> service_us, client_us, redis_us;
};

void add_round(Figures& figures, double pairs, const LoadFigures& calls, double redis_s) {
    figures.pairs.push_back(pairs);
    figures.calls.push_back(calls.ended_per_s);
    figures.shares.push_back(100 * calls.ended_per_s / pairs);
    figures.service_us.push_back(calls.service_us);
    figures.client_us.push_back(calls.client_us);
    figures.redis_us.push_back(redis_s * 1e6 / static_cast<double>(calls.tasks));
}

/// What is measured: how often Redis writes, and how it is spoken to.
struct Setting {
    std::string mode;
    Road road = Road::socket;
    double target = 0;  ///< Calls a second.

    std::string name() const { return mode + (road == Road::tcp ? " over TCP" : ""); }
};

std::vector<Row> rows_of(const Setting& setting, const Figures& figures) {
    const auto row = [&](const char* what, const std::vector<double>& values, const char* unit) {
        return Row{fmt::format("{}: {}", setting.name(), what), median(values), unit, std::nullopt, Aim::at_most};
    };
    std::vector<Row> rows{row("no-op calls end to end, 4 workers, 50 connections", figures.calls, "a second"),
                          row("ZADD and ZPOPMIN from 50 clients, by turns with them", figures.pairs, "a second"),
                          row("share of the pairs, median of the rounds", figures.shares, "%"),
                          row("a call: processor time of server, workers and runners", figures.service_us, "us"),
                          row("a call: processor time of Redis", figures.redis_us, "us"),
                          row("a call: processor time of the client", figures.client_us, "us")};
    rows[0].target = setting.target;
    rows[0].aim = Aim::at_least;
    rows[2].target = kShare;
    rows[2].aim = Aim::at_least;
    return rows;
}

std::vector<Row> calls_against_pairs(const Setting& setting, const Pace& pace) {
    const RedisServer redis(
        {"--appendonly", "yes", "--appendfsync", setting.mode, "--auto-aof-rewrite-percentage", "0"},
        service_test::free_port());
    const service_test::TestFolder folder;
    const service_test::Service service(
        kWorkers, {"--store", store_url(redis, setting.road), "--models-file", model_file(folder.path())});
    LoadWish wish{.server = service.address(), .task = kCall, .tasks = kWarmUp, .service = service.server()};
    auto heard = load(wish);
    wish.tasks = pace.draws(kCalls);
    Figures figures;
    double before = pairs_per_s(redis, pace.draws(kPairs), setting.road);
    for (int i = 0; heard && i < kRounds; ++i) {
        const double used = redis_seconds(redis);
        heard = load(wish);
        const double redis_s = redis_seconds(redis) - used;
        const double after = pairs_per_s(redis, pace.draws(kPairs), setting.road);
        if (heard) add_round(figures, (before + after) / 2, *heard, redis_s);
        before = after;
    }
    if (!heard) fmt::print(stderr, "{}: {}\n{}", setting.name(), heard.error().message, service.file("serve.log"));
    return rows_of(setting, figures);
}

}  // namespace

std::vector<Row> bench_calls_everysec(RedisRound& round) {
    return calls_against_pairs({"everysec", Road::socket, 26'000}, round.pace);
}

std::vector<Row> bench_calls_always(RedisRound& round) {
    return calls_against_pairs({"always", Road::socket, 20'000}, round.pace);
}

std::vector<Row> bench_calls_everysec_tcp(RedisRound& round) {
    return calls_against_pairs({"everysec", Road::tcp, 26'000}, round.pace);
}

std::vector<Row> bench_calls_always_tcp(RedisRound& round) {
    return calls_against_pairs({"always", Road::tcp, 20'000}, round.pace);
}

}  // namespace sy::bench
