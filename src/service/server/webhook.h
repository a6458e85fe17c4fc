// Webhook: posts alerts to a receiver, from a thread of its own, so that a receiver that is slow or away holds up
// nobody.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/time.h"
#include "service/server/alert.h"

namespace sy::server {

class Webhook {
public:
    /// What waits while one is under way; what comes beyond is only in the log.
    static constexpr std::size_t kMostWaiting = 64;

    /// `url`: "http://host:port/path". `say` is called on the webhook's thread, or on the caller's.
    Webhook(std::string url, Duration patience, std::function<void(const std::string&)> say);
    /// Waits for the one that is under way, at most so long as the patience lasts; what waits is dropped.
    ~Webhook();
    Webhook(const Webhook&) = delete;
    Webhook& operator=(const Webhook&) = delete;

    void tell(const Alert& alert);

private:
    void work();
    void post(const std::string& text) const;

    std::string url_;
    Duration patience_;
    std::function<void(const std::string&)> say_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::string> waiting_;
    bool ending_ = false;
    std::thread thread_;  ///< Last: it starts when all else is there.
};

}  // namespace sy::server
