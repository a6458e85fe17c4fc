// Bays: the GPUs of every node one by one, where it matters which of them a task gets: neighbours, for a gang (P9), and
// none whose worker is away. A GPU is free when it is present and not taken; the two change apart.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/cluster/free_set.h"
#include "core/model/gpu.h"
#include "core/place/shared.h"

namespace sy::place {

class Bays {
public:
    bool empty() const { return first_.empty(); }
    /// Its GPUs are present, and nobody has taken them.
    void add_node(std::span<const GpuSpec> gpus);

    GpuCount free_on(NodeId node) const;
    bool is_free(NodeId node, GpuCount at, GpuCount count) const;
    bool is_present(NodeId node, GpuCount at) const { return !away_.contains(number(node, at)); }
    /// The node of a GPU that is counted over all nodes, and its place there.
    std::pair<NodeId, GpuCount> place_of(GpuId gpu) const;
    Bytes memory(NodeId node, GpuCount at) const { return (*memory_)[number(node, at)]; }
    /// Where the first so many free neighbours with this much memory each begin.
    std::optional<GpuCount> first_run(NodeId node, GpuCount count, Bytes memory) const;

    template <class Visit>
    void for_each_free(NodeId node, Bytes memory, Visit visit) const {
        const std::size_t last = end(node);
        for (std::size_t i = free_.next(number(node, 0), last); i < last; i = free_.next(i + 1, last))
            if ((*memory_)[i] >= memory) visit(static_cast<GpuCount>(i - first_[node.value()]));
    }

    void set_present(NodeId node, GpuCount at, bool present);
    void set_memory(NodeId node, GpuCount at, Bytes memory);
    void set_taken(NodeId node, GpuCount at, GpuCount count, bool taken);
    /// Free is what both have free.
    void keep_common(const Bays& other);

private:
    std::size_t number(NodeId node, GpuCount at) const { return first_[node.value()] + at; }
    std::size_t end(NodeId node) const {
        return node.value() + 1 < first_.size() ? first_[node.value() + 1] : memory_->size();
    }

    std::vector<std::size_t> first_;     ///< By node: the number of its first GPU.
    Shared<std::vector<Bytes>> memory_;  ///< By GPU.
    cluster::FreeSet away_;
    cluster::FreeSet taken_;
    cluster::FreeSet free_;
};

}  // namespace sy::place
