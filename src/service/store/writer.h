// Writer: the thread that commits. Whatever waits when it comes round goes into one commit, so that a sync is shared by
// all who wait for it.
//
// A full disk is waited out: what could not be committed stays and is tried again. Any other failure is final.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "base/time.h"
#include "service/store/store.h"

namespace sy::store {

/// So many groups are on disk now, counted from the first.
struct Committed {
    std::uint64_t groups = 0;
};
/// Nothing gets through until there is room again; the next Committed says so.
struct DiskFull {
    Error error;
};
/// Nothing will get through any more.
struct Broken {
    Error error;
};
using News = std::variant<Committed, DiskFull, Broken>;

class Writer {
public:
    /// `tell` is called on the writer's thread. The store is the writer's alone until its end.
    Writer(Store& store, std::function<void(News)> tell, Duration patience = 100ms);
    /// Tries once more to commit what is left.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void add(Group group);
    /// Of the state after all groups added so far.
    void keep_snapshot(std::string snapshot);

private:
    void work();
    std::optional<Error> commit_some(std::vector<Group>& groups, std::optional<std::string>& snapshot);

    using Job = std::variant<Group, std::string>;

    Store& store_;
    std::function<void(News)> tell_;
    Duration patience_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool ending_ = false;
    std::uint64_t committed_ = 0;
    std::thread thread_;  ///< Last: it starts when all else is there.
};

}  // namespace sy::store
