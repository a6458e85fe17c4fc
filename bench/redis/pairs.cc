#include "redis/pairs.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/check.h"

namespace sy::bench {

namespace {

constexpr std::size_t kClients = 50;

/// What redis-benchmark says of one command.
double benchmarked_per_s(const std::string& server, std::uint64_t times, const char* command) {
    const std::string line =
        fmt::format("redis-benchmark {} -c {} -n {} -r 100000000 --csv {} | tail -1", server, kClients, times, command);
    std::FILE* answers = ::popen(line.c_str(), "r");
    std::array<char, 512> text{};
    SY_CHECK(answers != nullptr && std::fgets(text.data(), text.size(), answers) != nullptr, "no redis-benchmark");
    ::pclose(answers);
    const std::string row(text.data());
    return std::strtod(row.c_str() + row.find("\",\"") + 3, nullptr);
}

}  // namespace

std::string store_url(const RedisServer& server, Road road) {
    return road == Road::tcp ? fmt::format("redis://127.0.0.1:{}", server.port()) : "unix://" + server.address().path;
}

double pairs_per_s(const RedisServer& server, std::uint64_t pairs, Road road) {
    const std::string where = road == Road::tcp ? fmt::format("-h 127.0.0.1 -p {}", server.port())
                                                : fmt::format("-s {}", server.address().path);
    const double pushes = benchmarked_per_s(where, pairs, "ZADD line 1 task:__rand_int__");
    const double pops = benchmarked_per_s(where, pairs, "ZPOPMIN line");
    return 1 / (1 / pushes + 1 / pops);
}

double redis_seconds(const RedisServer& server) {
    const std::string text = server.ask("INFO", "cpu");
    const auto figure = [&](const std::string& name) {
        const std::size_t at = text.find(name + ":");
        return at == std::string::npos ? 0.0 : std::strtod(text.c_str() + at + name.size() + 1, nullptr);
    };
    return figure("used_cpu_sys") + figure("used_cpu_user");
}

}  // namespace sy::bench
