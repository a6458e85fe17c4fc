// Silence is looked for by scanning all workers, and only when the oldest of them could have become too old.
//
// A heartbeat then costs one store, with no timer to move. With heartbeats every third of the limit a scan finds work
// for the next at two thirds of the limit away, so 10,000 workers cost one pass over 10,000 records every 20 seconds.
#include "core/cluster/health.h"

#include <algorithm>

namespace sy::cluster {

void Health::open(GpuId gpu, const HelloName& hello, SessionId session, Instant now) {
    workers_[gpu.value()] = {session, hello, now};
}

void Health::forgive(Instant now) {
    for (WorkerState& worker : workers_)
        if (worker.session != SessionId{}) worker.heard = now;
}

std::optional<GpuId> Health::silent(GpuId from, Duration limit, Instant now) const {
    for (GpuId gpu = from; gpu.value() < workers_.size(); gpu = gpu.next())
        if (is_open(gpu) && now - worker(gpu).heard >= limit) return gpu;
    return std::nullopt;
}

Instant Health::next_silence(Duration limit) const {
    Instant next = kNever;
    for (const WorkerState& worker : workers_)
        if (worker.session != SessionId{}) next = std::min(next, later(worker.heard, limit));
    return next;
}

}  // namespace sy::cluster
