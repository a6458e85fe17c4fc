// Follower: reads the journal of the server that leads as it grows, on a thread of its own, and keeps the brain that
// comes of it. When this server leads, only what is left has to be read.
//
// Where the journal cannot be followed any further (it was cut, or Redis has another history now), it begins anew with
// the snapshot.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "service/server/past.h"
#include "service/store/redis_store.h"

namespace sy::server {

class Follower {
public:
    /// `untold`: the settings of a store that does not tell them. `say` is called on the follower's thread.
    Follower(std::unique_ptr<store::RedisStore> store, control::Settings untold,
             std::function<void(const std::string&)> say);
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    void start();
    /// The number of the last group that it has seen.
    std::uint64_t seen() const { return seen_; }
    /// What it has seen counts no more: Redis has lost it for good.
    void begin_anew();

    struct Handed {
        std::unique_ptr<store::RedisStore> store;
        Past past;
    };
    /// To be called once, when this server has come to lead: nobody else adds anything any more.
    Result<Handed> hand_over(store::Term term, store::WrittenMark mark);

private:
    void work();
    Result<void> read_on();
    void stop();

    std::unique_ptr<store::RedisStore> store_;
    control::Settings untold_;
    std::function<void(const std::string&)> say_;
    std::optional<Past> past_;  ///< The thread's, while there is one.
    std::atomic<std::uint64_t> seen_ = 0;
    std::atomic<bool> anew_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace sy::server
