// Reign: this server leads, and says so again and again before its lease runs out. On a thread of its own, so that a
// slow disk or a long turn does not cost the lease.
//
// What is written is safe without it: the store refuses whoever is deposed. This ends a server that could only be
// refused. One that cannot ask does not end: nobody may have taken its place, for Redis may be what is away, and then
// this server is the only one that remembers what Redis may have lost. It is unsure until it can ask again.
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
    /// All are called on the reign's own thread, `lost` at most once and last.
    struct News {
        std::function<void(const std::string& why)> lost;  ///< Another leads.
        std::function<void()> forgotten;  ///< Redis was emptied or went back: the next write tells it again who leads.
        std::function<void(const std::string& why)> unsure;  ///< The lease ran out, and another may lead.
        std::function<void()> sure;                          ///< Nobody does, after all.
    };

    Reign(store::Leadership leadership, Duration lease, News news);
    /// The lease runs out by itself, and until then what Redis lacks is waited for.
    ~Reign();
    Reign(const Reign&) = delete;
    Reign& operator=(const Reign&) = delete;

    /// Everything that was answered is in Redis, and nothing more will come: at its end the lease is given up.
    void leave_in_good_order() { leaves_ = true; }

private:
    void renew_until_told();
    /// False where it is over.
    bool heard(const Result<store::Reign>& answer, Instant asked);

    store::Leadership leadership_;
    Duration lease_;
    News news_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    bool leaves_ = false;
    Instant renewed_;      ///< The thread's.
    bool unsure_ = false;  ///< Likewise.
    std::thread thread_;
};

}  // namespace sy::server
