// Looking at a store in Redis: its records by a line of one's own, and its journal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "service/store/redis_batch.h"
#include "service/store/redis_place.h"
#include "service/store/store.h"

namespace sy::store {

Result<std::unique_ptr<Reader>> open_redis_reader(const RedisPlace& place);

/// Their records, in that order, without those that are not there.
Result<std::vector<Record>> read_records(redis::Connection& connection, const RedisKeys& keys,
                                         const std::vector<TaskId>& tasks);

/// The tasks that a sorted set by number holds, in the order in which `command` gives them.
Result<std::vector<TaskId>> read_tasks(redis::Connection& connection, redis::Command command);

struct ReadJournal {
    std::vector<std::string> journals;
    JournalEnd end;
};

/// The groups after that end, at most so many; waits so long for the first. None of them is missing or damaged.
Result<ReadJournal> read_journal(redis::Connection& connection, const RedisKeys& keys, JournalEnd after,
                                 std::uint32_t most, Duration patience);

struct ReadSnapshot {
    JournalEnd covers;
    std::string state;
};

/// The latest that can be read; an empty one where there is none.
Result<ReadSnapshot> read_snapshot(redis::Connection& connection, const RedisKeys& keys);

/// From that number on, which is 0 for the first.
Result<std::vector<std::string>> read_names(redis::Connection& connection, const RedisKeys& keys, std::size_t from);

}  // namespace sy::store
