#include "service/store/writer.h"

#include <algorithm>
#include <utility>

namespace sy::store {

namespace {

/// Enough to make a sync cheap for each, few enough that nobody waits long for the others. A store that others share
/// answers none of them meanwhile: some tens of milliseconds.
constexpr std::size_t kMostAtOnce = 1024;
constexpr std::size_t kMostChangesAtOnce = 4'000;
constexpr std::size_t kMostBytesAtOnce = std::size_t{4} << 20U;
/// Of old records: few enough that a commit does not wait long.
constexpr std::uint32_t kMostLookedAt = 500;

/// What goes into one commit.
class Load {
public:
    void add(const Group& group) {
        ++groups_;
        changes_ += group.records.size() + group.keys.size() + group.queued.size() + group.left.size();
        bytes_ += group.journal.size();
        for (const Record& record : group.records) bytes_ += record.bytes.size();
    }
    bool is_full() const {
        return groups_ >= kMostAtOnce || changes_ >= kMostChangesAtOnce || bytes_ >= kMostBytesAtOnce;
    }

private:
    std::size_t groups_ = 0;
    std::size_t changes_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace

Writer::Writer(Store& store, std::function<void(News)> tell, Duration patience)
    : store_(store), tell_(std::move(tell)), patience_(patience), thread_([this] { work(); }) {}

Writer::~Writer() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Writer::add(Group group) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.emplace_back(std::move(group));
        ++added_;
    }
    wake_.notify_one();
}

void Writer::keep_snapshot(std::string snapshot) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.emplace_back(std::move(snapshot));
    }
    wake_.notify_one();
}

void Writer::forget(std::int64_t ended_before, std::function<void(const Record&)> clear) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.emplace_back(Forget{ended_before, std::move(clear)});
    }
    wake_.notify_one();
}

void Writer::work() {
    if (!store_.keep_reserve()) {
        short_ = true;
        tell_(DiskFull{
            {Fault::failed, "the disk has no room for the reserve (disk_reserve_mb)", "make room on that disk"}});
    }
    const auto has_to_do = [&] { return ending_ || !jobs_.empty(); };
    std::unique_lock lock(mutex_);
    for (;;) {
        if (short_) {
            wake_.wait_for(lock, patience_, has_to_do);
        } else {
            wake_.wait(lock, has_to_do);
        }
        if (jobs_.empty() && ending_) return;
        std::vector<Group> groups;
        std::optional<std::string> snapshot;
        std::optional<Forget> forget;
        Load load;
        for (; !jobs_.empty() && !snapshot && !forget && !load.is_full(); jobs_.pop_front()) {
            Job& job = jobs_.front();
            if (auto* group = std::get_if<Group>(&job)) {
                load.add(*group);
                groups.push_back(std::move(*group));
            }
            if (auto* state = std::get_if<std::string>(&job)) snapshot = std::move(*state);
            if (auto* wish = std::get_if<Forget>(&job)) forget = std::move(*wish);
        }
        lock.unlock();
        if (!write_out(groups, snapshot)) return;
        if (forget && !forget_some(*forget)) return;
        if (short_) look_for_room();
        lock.lock();
    }
}

/// Until it is on disk; false where it never will be.
bool Writer::write_out(std::vector<Group>& groups, std::optional<std::string>& snapshot) {
    std::optional<Error> error = commit_some(groups, snapshot);
    while (error && (store_.is_full() || store_.is_away())) {
        const bool ends = store_.is_full() ? wait_for_room(*error) : pause();
        error = commit_some(groups, snapshot);
        if (ends) break;
    }
    if (error) tell_(Broken{*error});
    return !error;
}

/// True where the writer is to end.
bool Writer::wait_for_room(const Error& error) {
    short_ = true;
    tell_(DiskFull{error});
    if (store_.use_reserve()) return false;
    forget_what_waits();
    ask_whose_it_is();
    return pause();
}

bool Writer::pause() {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, patience_, [&] { return ending_; });
}

/// Ahead of the groups that find no room.
void Writer::forget_what_waits() {
    std::optional<Forget> wish;
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                        [](const Job& job) { return std::holds_alternative<Forget>(job); });
        if (found == jobs_.end()) return;
        wish = std::move(std::get<Forget>(*found));
        jobs_.erase(found);
    }
    static_cast<void>(forget_some(*wish));  // what breaks it breaks the next commit too
}

void Writer::ask_whose_it_is() {
    std::uint64_t groups = 0;
    {
        const std::lock_guard lock(mutex_);
        groups = added_;
    }
    if (store_.is_still_ours()) tell_(StillOurs{groups});
}

/// Files before records: what a crash leaves between is found again. On a full disk it is left for the next time.
bool Writer::forget_some(const Forget& wish) {
    const auto old = store_.find_old(wish.ended_before, looked_up_to_, kMostLookedAt);
    std::vector<TaskId> tasks;
    if (old)
        for (const Record& record : old->records) {
            wish.clear(record);
            tasks.push_back(record.task);
        }
    const auto done = !old ? tl::unexpected(old.error()) : tasks.empty() ? Result<void>() : store_.forget(tasks);
    if (!done && !store_.is_full() && !store_.is_away()) {
        tell_(Broken{done.error()});
        return false;
    }
    looked_up_to_ = done ? old->up_to : TaskId{};
    tell_(Forgotten{done ? tasks.size() : 0, looked_up_to_ != TaskId{}});
    return true;
}

void Writer::look_for_room() {
    if (!store_.keep_reserve()) return;
    short_ = false;
    tell_(RoomAgain{});
}

/// What went through is taken out, so that a second try does not do it twice.
std::optional<Error> Writer::commit_some(std::vector<Group>& groups, std::optional<std::string>& snapshot) {
    if (!groups.empty()) {
        if (const auto done = store_.commit(groups); !done) return done.error();
        committed_ += groups.size();
        groups.clear();
        tell_(Committed{committed_});
    }
    if (snapshot) {
        if (const auto done = store_.keep_snapshot(*snapshot); !done) return done.error();
        snapshot.reset();
    }
    return std::nullopt;
}

}  // namespace sy::store
