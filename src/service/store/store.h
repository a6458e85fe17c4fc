// Store: what must outlive the process. The journal of what happened, snapshots of the brain that shorten its reading,
// and a record for each task: what its owner asked for, and what became of it.
//
// A group is on disk as a whole or not at all, and groups come back in the order in which they were committed, without
// gaps. A commit that has returned survives the process and, as far as the disk keeps its word, the power. Whoever
// implements this passes the tests in store_test.cc.
//
// Used by one thread at a time; only `Reader`s may look at records meanwhile, each from its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace sy::store {

/// What is known of one task: bytes that only the service understands.
struct Record {
    TaskId task;
    std::string bytes;

    friend bool operator==(const Record&, const Record&) = default;
};

/// What is committed together.
struct Group {
    std::string journal;          ///< Entries of the journal, packed. Never empty.
    std::vector<Record> records;  ///< New ones, and new versions of old ones.

    friend bool operator==(const Group&, const Group&) = default;
};

struct Recovered {
    std::string snapshot;               ///< Empty: there is none yet.
    std::vector<std::string> journals;  ///< Of the groups after it.
};

/// Looks at records while the store is written to.
class Reader {
public:
    virtual ~Reader() = default;
    virtual Result<std::optional<std::string>> find(TaskId task) = 0;
    /// At most so many with smaller ids, the largest id first.
    virtual Result<std::vector<Record>> before(TaskId task, std::uint32_t most) = 0;
};

class Store {
public:
    virtual ~Store() = default;

    /// To be asked once, before anything else.
    virtual Result<Recovered> recover() = 0;
    /// When this returns without an error, the groups are on disk. With an error, none of them is.
    virtual Result<void> commit(const std::vector<Group>& groups) = 0;
    /// A state that covers every group committed so far. What it makes unnecessary may go.
    virtual Result<void> keep_snapshot(const std::string& snapshot) = 0;
    virtual Result<std::unique_ptr<Reader>> reader() = 0;
    /// Whether the last failure was for want of room: what was tried may be tried again later.
    virtual bool is_full() const = 0;
};

}  // namespace sy::store
