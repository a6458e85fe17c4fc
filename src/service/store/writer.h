// Writer: the thread that commits. Whatever waits when it comes round goes into one commit, so that a sync is shared by
// all who wait for it.
//
// On a full disk the store's reserve is given up for what waits, and when that is used up too, it is waited out: what
// could not be committed stays and is tried again. So it does in a store that is away. Old records are forgotten
// meanwhile, which makes room. Any other failure is final.
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
/// From now on the reserve is used, as long as it lasts: nothing may be taken on until RoomAgain.
struct DiskFull {
    Error error;
};
struct RoomAgain {};
/// They are not on disk, for want of room, but the store was asked after all of them were handed in: it is still ours.
struct StillOurs {
    std::uint64_t groups = 0;
};
/// A portion of old records was looked through.
struct Forgotten {
    std::size_t tasks = 0;
    bool more = false;  ///< There are others to look through.
};
/// Nothing will get through any more.
struct Broken {
    Error error;
};
using News = std::variant<Committed, DiskFull, RoomAgain, StillOurs, Forgotten, Broken>;

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
    /// The next portion of the records of tasks that ended before then. `clear` is called first for each of them, on
    /// the writer's thread.
    void forget(std::int64_t ended_before, std::function<void(const Record&)> clear);

private:
    struct Forget {
        std::int64_t ended_before = 0;
        std::function<void(const Record&)> clear;
    };

    void work();
    bool write_out(std::vector<Group>& groups, std::optional<std::string>& snapshot);
    bool wait_for_room(const Error& error);
    bool pause();
    bool forget_some(const Forget& wish);
    void forget_what_waits();
    void ask_whose_it_is();
    void look_for_room();
    std::optional<Error> commit_some(std::vector<Group>& groups, std::optional<std::string>& snapshot);

    using Job = std::variant<Group, std::string, Forget>;

    Store& store_;
    std::function<void(News)> tell_;
    Duration patience_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    bool ending_ = false;
    bool short_ = false;       ///< Of room: the reserve is not there. The writer's thread alone.
    TaskId looked_up_to_;      ///< Likewise: where the search for old records goes on.
    std::uint64_t added_ = 0;  ///< Groups.
    std::uint64_t committed_ = 0;
    std::thread thread_;  ///< Last: it starts when all else is there.
};

}  // namespace sy::store
