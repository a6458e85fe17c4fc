// Desk: where questions are handed in and answered, one after another, on a thread of its own. However long one takes,
// the service goes on: it is told when there is an answer.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "service/whatif/inquiry.h"
#include "service/whatif/limits.h"

namespace sy::whatif {

class Desk {
public:
    using Told = std::function<void(const Answer&)>;

    /// `post`: onto the service's thread, from this one.
    Desk(Limits limits, std::function<void(std::function<void()>)> post)
        : limits_(limits), post_(std::move(post)), thread_([this] { work(); }) {}
    /// Calls off what is under way and tells nobody.
    ~Desk();
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    const Limits& limits() const { return limits_; }
    bool is_full() const;
    /// `told` is called by `post`, unless the inquiry was called off. Not to be asked where it is full.
    void ask(std::shared_ptr<Inquiry> inquiry, Told told);

private:
    struct Place {
        std::shared_ptr<Inquiry> inquiry;
        Told told;
    };
    void work();

    Limits limits_;
    std::function<void(std::function<void()>)> post_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Place> line_;  ///< The first is being worked on.
    bool ending_ = false;
    std::thread thread_;  ///< Last: it starts when all else is there.
};

}  // namespace sy::whatif
