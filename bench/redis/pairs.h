// Pairs: the plainest queue there is on a Redis, measured by its own tool: one ZADD and one ZPOPMIN a task, from 50
// clients. What a service reaches is held against it in the same minute, on the same server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benches.h"
#include "service/redis_server.h"

namespace sy::bench {

using service_test::RedisServer;

struct RedisRound {
    Pace pace;
};

/// How everybody speaks to Redis: who shares its machine by its socket, everybody else over TCP.
enum class Road { socket, tcp };
std::string store_url(const RedisServer& server, Road road);

/// All the pushes, then all the pops: nobody waits for anybody.
double pairs_per_s(const RedisServer& server, std::uint64_t pairs, Road road = Road::socket);

/// What Redis itself has used of the processor: the neighbours do not count.
double redis_seconds(const RedisServer& server);

std::vector<Row> bench_calls_everysec(RedisRound& round);
std::vector<Row> bench_calls_always(RedisRound& round);
std::vector<Row> bench_calls_everysec_tcp(RedisRound& round);
std::vector<Row> bench_calls_always_tcp(RedisRound& round);
std::vector<Row> bench_takeover(RedisRound& round);
std::vector<Row> bench_storm(RedisRound& round);

}  // namespace sy::bench
