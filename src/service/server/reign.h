// Reign: this server leads, and says so again and again before its lease runs out. On a thread of its own, so that a
// slow disk or a long turn does not cost the lease.
//
// What is written is safe without it: the store refuses whoever is deposed. This ends a server that could only be
// refused, before its workers wait for it in vain.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/time.h"
#include "service/store/leadership.h"

namespace sy::server {

class Reign {
public:
    /// Both are called on the reign's own thread, `lost` at most once.
    struct News {
        std::function<void(const std::string& why)> lost;
        std::function<void()> forgotten;  ///< Redis was emptied or went back: the next write tells it again who leads.
    };

    Reign(store::Leadership leadership, Duration lease, News news);
    /// Gives the lease up, unless it was lost.
    ~Reign();
    Reign(const Reign&) = delete;
    Reign& operator=(const Reign&) = delete;

private:
    void renew_until_told();

    store::Leadership leadership_;
    Duration lease_;
    News news_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    bool is_lost_ = false;
    std::thread thread_;
};

}  // namespace sy::server
