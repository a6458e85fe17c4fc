// Whether a Redis may hold a store of ours: looked at before anything is written there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/redis/connection.h"
#include "service/store/redis_place.h"

namespace sy::store {

inline constexpr std::uint64_t kRedisFormat = 1;

/// Of a Redis that may.
struct RedisState {
    bool empty = true;       ///< Nothing of ours is there.
    std::uint64_t last = 0;  ///< The number of the last group.
    Duration up = {};        ///< Since Redis was started, in whole seconds.
};

/// Refused, with nothing written: a prefix that is none, a replica, a Redis that throws keys away when it is short of
/// memory, keys under our prefix that are not ours, a store written by another version.
Result<RedisState> check_redis(redis::Connection& connection, const RedisPlace& place);

/// What of the work that was answered for this Redis could lose, each in a sentence.
Result<std::vector<std::string>> durability_warnings(redis::Connection& connection);

}  // namespace sy::store
