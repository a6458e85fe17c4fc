#include "sim/network.h"

#include <algorithm>

namespace sy::sim {

Network::Network(const Weather& weather, Random random)
    : weather_(weather), random_(random), cut_until_(std::size_t{weather.nodes} * weather.gpus_per_node, kStart) {}

std::vector<Duration> Network::carry(GpuId worker, Instant now) {
    if (!healthy_ && now < cut_until_[worker.value()]) {
        ++lost_;
        return {};
    }
    return carry();
}

std::vector<Duration> Network::carry() {
    if (healthy_) return {1ms};
    if (random_.chance(weather_.loss)) {
        ++lost_;
        return {};
    }
    std::vector<Duration> arrivals(random_.chance(weather_.repeat) ? 2 : 1);
    for (Duration& arrival : arrivals) {
        const Duration longest = random_.chance(weather_.straggle) ? Duration(1min) : weather_.delay;
        arrival = random_.between(Duration(100us), longest);
    }
    return arrivals;
}

void Network::cut(GpuId worker, Instant until) {
    Instant& end = cut_until_[worker.value()];
    end = std::max(end, until);
}

void Network::heal() {
    healthy_ = true;
}

}  // namespace sy::sim
