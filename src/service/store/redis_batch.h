// Batch: some groups as the one command that commits them. Of what several of them say of one task only the last goes
// in: Redis has the journal for the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "service/redis/command.h"
#include "service/store/redis_place.h"
#include "service/store/redis_scripts.h"
#include "service/store/store.h"

namespace sy::store {

/// How far a journal goes. The digest is of all groups up to there, so that two histories that differ anywhere before
/// are told apart.
struct JournalEnd {
    std::uint64_t last = 0;  ///< The number of the last group.
    std::uint64_t digest = 0;

    JournalEnd with(std::string_view journal) const {
        Digest longer;
        longer.add(digest);
        longer.add(journal);
        return {last + 1, longer.value()};
    }
};

struct Batch {
    JournalEnd begin;  ///< What it goes after.
    JournalEnd end;
    redis::Command command;
};

/// What a batch is made on top of.
struct BatchBase {
    JournalEnd end;
    Term term;
    TaskId newest;  ///< No task after it has a record yet: those cost Redis less.
};

/// Fails where a number is too large to be kept exactly.
Result<Batch> batch_of(const std::vector<Group>& groups, const BatchBase& base, const RedisKeys& keys,
                       const Scripts& scripts);

/// A record as it lies in Redis: "ended shelf", a new line, and its bytes. This is all before the bytes.
std::string head_of(const Record& record);
std::optional<Record> unpacked(TaskId task, std::string_view packed);

}  // namespace sy::store
