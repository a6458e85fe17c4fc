// The storm of takeovers: whoever leads is killed, or stopped for longer than its lease, or Redis is started anew,
// again and again, while clients hand in tasks under keys and others run. Whatever was answered must end, once in the
// books and once in the world: what runs is never interrupted by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/contenders.h"

namespace sy::service_test {

struct TakeoverStormWish {
    int strikes = 6;
    std::uint64_t seed = 1;
};

struct TakeoverReport {
    int killed = 0;
    int stopped = 0;
    int redis_restarts = 0;
    std::vector<double> takeovers;  ///< Seconds, from a strike at a leader to the first answer of the next.
    std::vector<double> restarts;   ///< The same of Redis: it is read anew in that time as well.
    std::uint64_t answered = 0;     ///< Tasks.
    std::string complaints;         ///< A line for each broken promise; empty where all were kept.
};

/// All of the servers are up when it begins.
TakeoverReport run_takeover_storm(Contenders& servers, RedisServer& redis, const TakeoverStormWish& wish);

}  // namespace sy::service_test
