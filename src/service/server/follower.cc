#include "service/server/follower.h"

#include <utility>

namespace sy::server {

namespace {

/// For the next line; so long a new leader may have to wait for its follower.
constexpr Duration kPatience = 100ms;
constexpr Duration kAfterTrouble = 500ms;

}  // namespace

Follower::Follower(std::unique_ptr<store::RedisStore> store, control::Settings untold,
                   std::function<void(const std::string&)> say)
    : store_(std::move(store)), untold_(std::move(untold)), say_(std::move(say)) {}

Follower::~Follower() {
    stop();
}

void Follower::start() {
    thread_ = std::thread([this] { work(); });
}

void Follower::stop() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Follower::begin_anew() {
    seen_ = 0;
    anew_ = true;
}

void Follower::work() {
    std::string said;
    std::unique_lock lock(mutex_);
    while (!ending_) {
        lock.unlock();
        if (anew_.exchange(false)) past_.reset();
        const auto read = read_on();
        if (!read) past_.reset();
        if (!read && read.error().message != said) say_("standing by, not following: " + read.error().message);
        said = read ? "" : read.error().message;
        lock.lock();
        if (!read) wake_.wait_for(lock, kAfterTrouble, [this] { return ending_; });
    }
}

Result<void> Follower::read_on() {
    if (!past_) {
        auto past = Past::read(*store_, untold_);
        if (!past) return tl::unexpected(past.error());
        past_ = std::move(*past);
    }
    const auto lines = store_->follow(kPatience);
    if (!lines) return tl::unexpected(lines.error());
    if (auto added = past_->add(*lines); !added) return added;
    if (!anew_) seen_ = store_->last();
    return {};
}

Result<Follower::Handed> Follower::hand_over(store::Term term, store::WrittenMark mark) {
    stop();
    store_->lead(term, std::move(mark));
    if (anew_) past_.reset();
    if (past_) {
        const auto lines = store_->follow_to_end();
        if (!lines || !past_->add(*lines)) past_.reset();  // the snapshot may reach where this did not
    }
    if (!past_) {
        auto past = Past::read(*store_, untold_);
        if (!past) return tl::unexpected(past.error());
        past_ = std::move(*past);
    }
    auto names = store_->names_from(past_->name_count());
    if (!names) return tl::unexpected(names.error());
    past_->add_names(std::move(*names));
    return Handed{std::move(store_), std::move(*past_)};
}

}  // namespace sy::server
