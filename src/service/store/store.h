// Store: what must outlive the process. The journal of what happened, snapshots of the brain that shorten its reading,
// and a record for each task: what its owner asked for, and what became of it. Beside these the keys under which
// clients find their submissions again, and the names behind the numbers that the brain works with.
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

/// Where a record can be found beside under its number.
enum class Shelf : std::uint8_t {
    none,
    dead,  ///< Of a task that ended badly and waits for somebody to look at it.
};

/// What is known of one task: bytes that only the service understands.
struct Record {
    TaskId task;
    std::string bytes;
    Shelf shelf = Shelf::none;
    std::int64_t ended = 0;  ///< When its task ended, in milliseconds since 1970; 0: it lives.

    friend bool operator==(const Record&, const Record&) = default;
};

/// A word of its client's by which a submission can be found again.
struct Key {
    std::string word;
    TaskId task;

    friend bool operator==(const Key&, const Key&) = default;
};

/// A task that waits from now on, or waits in another place.
struct Queued {
    TaskId task;
    std::uint32_t priority_class = 0;  ///< The smallest goes first.
    std::uint64_t sequence = 0;        ///< Within its class. No two tasks of one class have the same.

    friend bool operator==(const Queued&, const Queued&) = default;
};

/// What is committed together.
struct Group {
    std::string journal;             ///< Entries of the journal, packed. Never empty.
    std::vector<Record> records;     ///< New ones, and new versions of old ones.
    std::vector<Key> keys;           ///< New ones.
    std::vector<std::string> names;  ///< New ones; the first of all is number 1.
    std::vector<Queued> queued;      ///< For those who look at the queue from outside; a store may leave it out.
    std::vector<TaskId> left;        ///< Tasks that wait no longer. No task is in both lists.

    friend bool operator==(const Group&, const Group&) = default;
};

struct Recovered {
    std::string snapshot;               ///< Empty: there is none yet.
    std::vector<std::string> journals;  ///< Of the groups after it.
    std::vector<std::string> names;     ///< All of them.
};

/// Of one portion that was looked through.
struct Old {
    std::vector<Record> records;  ///< Those of tasks that ended long enough ago.
    TaskId up_to;                 ///< The last that was looked at; none: all of them were.
};

/// Looks at records while the store is written to.
class Reader {
public:
    virtual ~Reader() = default;
    virtual Result<std::optional<std::string>> find(TaskId task) = 0;
    /// The same of each of them.
    virtual Result<std::vector<std::optional<std::string>>> find_all(const std::vector<TaskId>& tasks) = 0;
    /// At most so many with smaller ids, the largest id first.
    virtual Result<std::vector<Record>> before(TaskId task, std::uint32_t most) = 0;
    /// The same from a shelf.
    virtual Result<std::vector<Record>> on_shelf(Shelf shelf, TaskId before, std::uint32_t most) = 0;
    virtual Result<std::optional<TaskId>> find_key(const std::string& word) = 0;
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
    /// Looks through so many records after that one for tasks that ended before then.
    virtual Result<Old> find_old(std::int64_t ended_before, TaskId after, std::uint32_t most) = 0;
    /// Their records and keys.
    virtual Result<void> forget(const std::vector<TaskId>& tasks) = 0;
    /// Gives up what was kept back of the disk; false where there is nothing of it left.
    virtual bool use_reserve() { return false; }
    /// Keeps room back, again or for the first time; false while there is not enough.
    virtual bool keep_reserve() { return true; }
    /// Whether the last failure was for want of room: what was tried may be tried again later.
    virtual bool is_full() const = 0;
    /// Whether the last failure was because the store was not there: likewise.
    virtual bool is_away() const { return false; }
    /// Whether nobody else has come to write here. Asked of the store itself, also where it is full.
    virtual bool is_still_ours() { return true; }
    /// Whether the last failure was because another server leads now: nothing may be written here any more.
    virtual bool is_deposed() const { return false; }
};

}  // namespace sy::store
