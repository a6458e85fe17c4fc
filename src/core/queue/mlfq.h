// Multi-level feedback queue (S5): short jobs are served first without anybody knowing which are short.
//
// Everybody begins in the first queue and sinks to the next when the service attained reaches the queue's limit; queues
// are served in order. Service is run time, or run time × GPUs. A boost, where asked for, brings everybody back to the
// first queue every so often: then nobody starves for longer than that.
#pragma once

#include <utility>
#include <vector>

#include "core/queue/order.h"

namespace sy::queue {

/// In what service is counted.
enum class Service : std::uint8_t { seconds, gpu_seconds };

/// Run time at which this much service is attained, rounded up.
constexpr Duration time_to_attain(Duration service, Service unit, GpuCount gpus) {
    if (unit == Service::seconds) return service;
    return Duration(service.count() / gpus + (service.count() % gpus != 0 ? 1 : 0));
}

class Mlfq final : public Order {
public:
    Mlfq(std::vector<Duration> limits, Service unit, Duration boost)
        : limits_(std::move(limits)), unit_(unit), boost_(boost) {}

    Rank rank(const Candidate&) override { return 0; }
    bool interrupts() const override { return true; }
    Ties ties() const override { return Ties::running_first; }
    Duration boost() const override { return boost_; }

    Duration spell(const Candidate& task, Rank queue, Duration attained) const override {
        const auto index = static_cast<std::size_t>(queue);
        return index < limits_.size() ? time_to_attain(limits_[index], unit_, task.gpus) - attained : kForever;
    }
    Rank after_spell(const Candidate&, Rank queue) override { return queue + 1; }

private:
    std::vector<Duration> limits_;
    Service unit_;
    Duration boost_;
};

}  // namespace sy::queue
