// Network: a line between each worker and the server that loses, repeats, delays, reorders and cuts.
//
// It decides what becomes of a message; the caller carries it. Simulated: no bytes move.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "base/random.h"
#include "base/time.h"
#include "sim/weather.h"

namespace sy::sim {

class Network {
public:
    Network(const Weather& weather, Random random);

    /// After how long each copy of a message arrives; empty where it is lost.
    std::vector<Duration> carry(GpuId worker, Instant now);
    /// The same for a client's line, which is never cut.
    std::vector<Duration> carry();

    void cut(GpuId worker, Instant until);
    /// From now on every message arrives once, after a moment.
    void heal();

    std::size_t lost() const { return lost_; }

private:
    const Weather& weather_;
    Random random_;
    std::vector<Instant> cut_until_;
    bool healthy_ = false;
    std::size_t lost_ = 0;
};

}  // namespace sy::sim
