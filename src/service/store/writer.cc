#include "service/store/writer.h"

#include <utility>

namespace sy::store {

namespace {

/// Enough to make a sync cheap for each, few enough that nobody waits long for the others.
constexpr std::size_t kMostAtOnce = 1024;

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

void Writer::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        std::vector<Group> groups;
        std::optional<std::string> snapshot;
        for (; !jobs_.empty() && !snapshot && groups.size() < kMostAtOnce; jobs_.pop_front()) {
            if (auto* group = std::get_if<Group>(&jobs_.front())) {
                groups.push_back(std::move(*group));
            } else {
                snapshot = std::move(std::get<std::string>(jobs_.front()));
            }
        }
        lock.unlock();
        std::optional<Error> error = commit_some(groups, snapshot);
        while (error && store_.is_full()) {
            tell_(DiskFull{*error});
            lock.lock();
            const bool ends = wake_.wait_for(lock, patience_, [&] { return ending_; });
            lock.unlock();
            error = commit_some(groups, snapshot);
            if (ends) break;
        }
        if (error) return tell_(Broken{*error});
        lock.lock();
    }
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
