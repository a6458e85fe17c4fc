// RedisPlace: where a store lives in Redis: a server, and the keys under one prefix. The prefix stands in braces, so
// that a cluster of Redis keeps all of them together. docs/redis.md says what each holds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "service/redis/connection.h"

namespace sy::store {

struct RedisPlace {
    redis::Address address;
    std::string prefix = "switchyard";  ///< Letters, digits, '_', '.' and '-', at most 64.
    redis::Patience patience = {};
};

struct RedisKeys {
    explicit RedisKeys(const std::string& prefix)
        : before("{" + prefix + "}:"),
          meta(before + "meta"),
          fence(before + "fence"),
          leader(before + "leader"),
          journal(before + "journal"),
          records(before + "records"),
          tasks(before + "tasks"),
          dead(before + "dead"),
          words(before + "keys"),
          names(before + "names"),
          queue(before + "queue"),
          snapshot(before + "snapshot"),
          earlier_snapshot(before + "snapshot:before"),
          next_snapshot(before + "snapshot:next"),
          documents(before + "documents") {}

    /// Each with the type it must have.
    std::vector<std::pair<std::string, std::string>> types() const {
        return {{meta, "hash"},          {fence, "string"},  {leader, "string"}, {journal, "stream"},
                {records, "hash"},       {tasks, "zset"},    {dead, "zset"},     {words, "zset"},
                {names, "list"},         {queue, "zset"},    {snapshot, "hash"}, {earlier_snapshot, "hash"},
                {next_snapshot, "hash"}, {documents, "hash"}};
    }

    std::string before;  ///< What all of them begin with.
    std::string meta;
    std::string fence;
    std::string leader;
    std::string journal;
    std::string records;
    std::string tasks;
    std::string dead;
    std::string words;
    std::string names;
    std::string queue;
    std::string snapshot;
    std::string earlier_snapshot;
    std::string next_snapshot;  ///< As far as it has come.
    std::string documents;
};

}  // namespace sy::store
