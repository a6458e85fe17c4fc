// Health: which workers are with us, and since when each has been silent (G8).
//
// One worker a GPU. A worker is with us from its welcome until it has been silent for too long or has said hello anew;
// that stay is a session.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/protocol.h"

namespace sy::cluster {

struct WorkerState {
    SessionId session;  ///< 0: none is open; sessions count from 1.
    HelloName hello;    ///< The latest we took.
    Instant heard;

    static constexpr auto fields() {
        return std::tuple{&WorkerState::session, &WorkerState::hello, &WorkerState::heard};
    }
    friend bool operator==(const WorkerState&, const WorkerState&) = default;
};

class Health {
public:
    void add_workers(std::size_t count) { workers_.resize(workers_.size() + count); }

    const std::vector<WorkerState>& workers() const { return workers_; }
    const WorkerState& worker(GpuId gpu) const { return workers_[gpu.value()]; }
    bool is_open(GpuId gpu) const { return worker(gpu).session != SessionId{}; }

    void open(GpuId gpu, const HelloName& hello, SessionId session, Instant now);
    void close(GpuId gpu) { workers_[gpu.value()].session = SessionId{}; }
    void hear(GpuId gpu, Instant now) { workers_[gpu.value()].heard = now; }
    /// Everybody with us counts as heard just now.
    void forgive(Instant now);

    /// The first worker from `from` on that has been silent for `limit`.
    std::optional<GpuId> silent(GpuId from, Duration limit, Instant now) const;
    /// When the next worker would have been silent for `limit`; kNever where nobody is with us.
    Instant next_silence(Duration limit) const;

    void restore(std::vector<WorkerState> workers) { workers_ = std::move(workers); }

private:
    std::vector<WorkerState> workers_;
};

}  // namespace sy::cluster
