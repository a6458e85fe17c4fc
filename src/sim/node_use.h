// NodeUse: how evenly a policy used the nodes (S4).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "sim/replay.h"

namespace sy::sim {

class NodeUse final : public Onlooker {
public:
    explicit NodeUse(std::span<const NodeSpec> nodes)
        : nodes_(nodes.begin(), nodes.end()), gpu_time_(nodes.size(), 0) {}

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t busy, std::size_t waiting) override;
    void left(Instant at, TaskId task) override;

    /// By node: the GPU-time used over the GPUs it has, in seconds. To be asked when all jobs have ended.
    std::vector<double> per_gpu_s() const;

private:
    struct Stay {
        Instant since;
        place::Seat seat;
    };

    std::vector<NodeSpec> nodes_;
    std::vector<double> gpu_time_;                   ///< By node, in seconds.
    std::unordered_map<std::uint64_t, Stay> stays_;  ///< By task.
};

}  // namespace sy::sim
