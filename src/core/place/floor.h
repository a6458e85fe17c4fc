// Floor: how much of every node is free, and which nodes have how many GPUs free (S1).
//
// Amounts beside GPUs (CPUs, host memory, network) belong to a job as a whole and are spread over its nodes with its
// GPUs, rounded up. A node has what its NodeSpec says; what that leaves unsaid never runs out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/cluster/free_set.h"
#include "core/model/job.h"
#include "core/place/bays.h"
#include "core/place/shared.h"

namespace sy::place {

/// GPUs of one node.
struct Share {
    NodeId node;
    GpuCount gpus = 0;
    GpuCount at = 0;  ///< The first of them, counted within the node, where the floor knows its GPUs one by one.

    friend bool operator==(const Share&, const Share&) = default;
};

/// Where a job runs: one node nearly always.
struct Seat {
    Share first;
    std::vector<Share> more;

    template <class Visit>
    void for_each(Visit visit) const {
        if (first.gpus > 0) visit(first);
        for (const Share& share : more) visit(share);
    }
    bool is_on(NodeId node) const {
        bool here = false;
        for_each([&](const Share& share) { here = here || share.node == node; });
        return here;
    }
    void add(const Share& share) {
        if (first.gpus == 0) {
            first = share;
        } else {
            more.push_back(share);
        }
    }
    friend bool operator==(const Seat&, const Seat&) = default;
};

class Floor {
public:
    Floor() = default;
    /// `searched`: whether anybody will ask for nodes by their free GPUs.
    explicit Floor(std::span<const NodeSpec> nodes, bool searched = true);
    /// One that knows its GPUs one by one: gangs are neighbours, and a GPU may be away. Nodes are added.
    static Floor of_neighbours(std::span<const NodeSpec> nodes);
    NodeId add_node(const NodeSpec& node, std::span<const GpuSpec> gpus);
    void set_present(NodeId node, GpuCount at, bool present);
    void set_kind(NodeId node, KindId kind);
    void set_memory(NodeId node, GpuCount at, Bytes memory) { bays_.set_memory(node, at, memory); }

    std::size_t node_count() const { return nodes_->size(); }
    const NodeSpec& node(NodeId node) const { return (*nodes_)[node.value()]; }
    GpuCount free_on(NodeId node) const { return free_[node.value()].gpus; }
    bool wholly_free(NodeId node) const { return free_on(node) == this->node(node).gpus; }
    std::uint64_t free_gpus() const { return free_gpus_; }
    std::uint64_t total_gpus() const { return total_gpus_; }
    /// How many GPUs the largest node has that could ever serve the demand.
    GpuCount largest_node(const Demand& demand) const;

    /// Whether the node is of the right kind and this many of the demand's GPUs, with what goes with them, are free
    /// there.
    bool has_room(NodeId node, const Demand& demand, GpuCount gpus) const {
        return free_on(node) >= gpus && (!demand_is_special(demand) || has_special_room(node, demand, gpus)) &&
               (bays_.empty() || bays_.first_run(node, gpus, demand.memory));
    }
    /// The GPUs a demand would get on a node that has room for it.
    Share share_of(NodeId node, const Demand& demand, GpuCount gpus) const {
        return {node, gpus, bays_.empty() ? 0 : *bays_.first_run(node, gpus, demand.memory)};
    }
    bool has_room(const Seat& seat, const Demand& demand) const;
    /// Whether it knows its GPUs one by one.
    bool knows_gpus() const { return !bays_.empty(); }
    /// Then: whether this one is free.
    bool is_free(NodeId node, GpuCount at) const { return bays_.is_free(node, at, 1); }
    /// And whether a demand for one GPU could be met there.
    bool fits(NodeId node, GpuCount at, const Demand& demand) const {
        return is_free(node, at) && bays_.memory(node, at) >= demand.memory &&
               (!demand_is_special(demand) || has_special_room(node, demand, 1));
    }
    /// Whether a demand is tied to GPUs all of which take work: then it goes to those or nowhere.
    bool is_tied(const Demand& demand) const;
    /// Where such a demand goes now, if it can.
    std::optional<Seat> tied_seat(const Demand& demand) const;
    /// Calls visit(at) for each free GPU of a node that has so much memory.
    template <class Visit>
    void for_each_free(NodeId node, Bytes memory, Visit visit) const {
        bays_.for_each_free(node, memory, visit);
    }
    /// What the node would be left with, each limited resource as a share of what it has, summed.
    double left_over(NodeId node, const Demand& demand) const;

    void take(const Seat& seat, const Demand& demand);
    void give_back(const Seat& seat, const Demand& demand);
    /// A node whose GPUs are all free goes, or comes back.
    void set_up(NodeId node, bool up);
    /// Takes of each share what is still free.
    void take_what_is_there(const Seat& seat, const Demand& demand);
    /// The node's own amounts free, as far as both floors have them free.
    void keep_common(const Floor& other);

    /// Calls visit(node) by free GPUs, `least` and more, then by number, until it answers true; that node.
    template <class Visit>
    std::optional<NodeId> by_fewest_free(GpuCount least, Visit visit) const {
        for (std::size_t free = counts_.next(least, levels()); free < levels(); free = counts_.next(free + 1, levels()))
            if (const auto node = in_level(free, visit)) return node;
        return std::nullopt;
    }
    /// The same by number alone.
    template <class Visit>
    std::optional<NodeId> by_number(GpuCount least, Visit visit) const {
        const std::size_t end = free_.size();
        for (std::size_t from = 0;;) {
            std::size_t first = end;
            for (std::size_t free = counts_.next(least, levels()); free < levels();
                 free = counts_.next(free + 1, levels()))
                first = std::min(first, level_[free].next(from, first));
            if (first == end) return std::nullopt;
            if (const NodeId node(static_cast<std::uint32_t>(first)); visit(node)) return node;
            from = first + 1;
        }
    }
    /// The same from the most free GPUs down.
    template <class Visit>
    std::optional<NodeId> by_most_free(GpuCount least, Visit visit) const {
        for (std::size_t free = levels(); free-- > least;)
            if (counts_.contains(free))
                if (const auto node = in_level(free, visit)) return node;
        return std::nullopt;
    }

private:
    /// Nodes whose GPUs are alike.
    struct Sort {
        KindId kind;
        Bytes gpu_memory;
        GpuCount largest_node = 0;
    };
    struct Amounts {
        GpuCount gpus = 0;
        std::uint32_t cpus = 0;
        Bytes host_memory;
        Bytes network;
    };

    static bool demand_is_special(const Demand& demand) {
        return demand.kind != KindId{} || demand.memory > Bytes{} || demand.cpus > 0 || demand.host_memory > Bytes{} ||
               demand.network > Bytes{};
    }
    bool has_special_room(NodeId node, const Demand& demand, GpuCount gpus) const;
    std::size_t levels() const { return level_.size(); }

    template <class Visit>
    std::optional<NodeId> in_level(std::size_t free, Visit visit) const {
        const cluster::FreeSet& nodes = level_[free];
        const std::size_t end = free_.size();
        for (std::size_t n = nodes.next(0, end); n < end; n = nodes.next(n + 1, end))
            if (const NodeId node(static_cast<std::uint32_t>(n)); visit(node)) return node;
        return std::nullopt;
    }
    NodeId enter(const NodeSpec& node);
    void sort_in(const NodeSpec& node);
    void set_free(NodeId node, GpuCount gpus);
    bool has_room(const Share& share, const Demand& demand) const;
    void take(const Share& share, const Demand& demand);
    void change_special(const Share& share, const Demand& demand, bool take);

    Shared<std::vector<NodeSpec>> nodes_;
    std::vector<Amounts> free_;
    Bays bays_;                            ///< Empty where GPUs are only counted.
    std::vector<cluster::FreeSet> level_;  ///< By free GPUs: the nodes with so many; empty where nobody searches.
    cluster::FreeSet counts_;              ///< The levels that have nodes.
    std::uint64_t free_gpus_ = 0;
    std::uint64_t total_gpus_ = 0;
    GpuCount largest_ = 0;
    std::vector<Sort> sorts_;
};

}  // namespace sy::place
