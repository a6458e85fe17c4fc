// Loop: one thread that waits for many things: files that become ready, instants that come, calls from other threads.
//
// A turn hands out everything that is ready and then calls `between` once, so that what came together can be decided
// together. Handlers run on the loop's thread, one at a time, and may add and forget anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sy::loop {

class Loop {
public:
    using Handler = std::function<void(std::uint32_t events)>;  ///< EPOLLIN and so on.
    using Call = std::function<void()>;
    using Timer = std::pair<Instant, std::uint64_t>;

    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// The clock of `at`: it never jumps.
    static Instant now();

    void watch(int fd, std::uint32_t events, Handler handler);
    void change(int fd, std::uint32_t events);
    /// The handler will not be called any more, not even in this turn.
    void forget(int fd);

    Timer at(Instant when, Call call);
    void cancel(const Timer& timer) { timers_.erase(timer); }

    /// From any thread.
    void post(Call call);
    /// At the end of every turn.
    void between(Call call) { between_ = std::move(call); }

    void run();
    void stop() { running_ = false; }

private:
    void take_posted();
    void call_due();

    int epoll_;
    int wake_;
    bool running_ = false;
    std::unordered_map<int, std::shared_ptr<Handler>> handlers_;
    std::map<Timer, Call> timers_;
    std::uint64_t last_timer_ = 0;
    std::mutex mutex_;
    std::vector<Call> posted_;
    Call between_;
};

}  // namespace sy::loop
