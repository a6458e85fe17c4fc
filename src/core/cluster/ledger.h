// Ledger: who holds which GPU.
//
// The only place where a GPU changes hands. A GPU is free when it takes work and no task holds it; holding one that is
// not free is a bug of ours and ends the process. One that is kept is being cleared for a task: nobody gets it
// meanwhile. Nodes come and stay; presence and holding change. One that was forgotten stays as an empty place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "core/cluster/free_set.h"
#include "core/model/gpu.h"
#include "core/model/task.h"

namespace sy::cluster {

class Ledger {
public:
    /// The new node's GPUs get the next ids.
    GpuSpan add_node(std::span<const GpuSpec> gpus, KindId kind = {});

    std::size_t gpu_count() const { return gpus_.size(); }
    std::size_t free_count() const { return free_.count(); }
    const std::vector<GpuSpan>& nodes() const { return nodes_; }
    bool knows(GpuId gpu) const { return gpu.value() < gpus_.size(); }

    /// Of the GPUs of a node.
    KindId kind(NodeId node) const { return kinds_[node.value()]; }
    void set_kind(NodeId node, KindId kind) { kinds_[node.value()] = kind; }
    /// Whether a demand could come here as far as kinds go.
    bool is_right_kind(NodeId node, const Demand& demand) const {
        return demand.kind == KindId{} || demand.kind == kind(node);
    }
    bool has_kind(KindId kind) const;

    NodeId node_of(GpuId gpu) const { return gpus_[gpu.value()].node; }
    Bytes memory(GpuId gpu) const { return gpus_[gpu.value()].spec.memory; }
    std::vector<GpuSpec> specs_of(const GpuSpan& span) const;
    bool is_present(GpuId gpu) const { return gpus_[gpu.value()].present; }
    bool is_kept(GpuId gpu) const { return gpus_[gpu.value()].kept; }
    const GpuCondition& condition(GpuId gpu) const { return gpus_[gpu.value()].condition; }
    /// Nobody's: of a node that was forgotten.
    bool is_gone(GpuId gpu) const { return condition(gpu).duty == GpuDuty::gone; }
    /// Whether something new could start on it, were it free.
    bool takes_work(GpuId gpu) const {
        const Seat& seat = gpus_[gpu.value()];
        return seat.present && !seat.kept && seat.condition.duty == GpuDuty::in_service && !seat.condition.faulty;
    }
    bool takes_work(const GpuSpan& span) const {
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            if (!takes_work(gpu)) return false;
        return true;
    }
    /// The memory that strangers leave.
    Bytes room(GpuId gpu) const {
        const Seat& seat = gpus_[gpu.value()];
        return Bytes(seat.spec.memory.value() - std::min(seat.spec.memory, seat.condition.foreign).value());
    }
    bool is_free(GpuId gpu) const { return free_.contains(gpu.value()); }
    std::optional<TaskId> holder(GpuId gpu) const;
    /// The smallest free GPU in [from, end), or `end`.
    GpuId next_free(GpuId from, GpuId end) const;

    /// How many GPUs the widest node has.
    GpuCount widest_gang() const { return static_cast<GpuCount>(largest_for_.size()); }
    /// The most memory a gang of this width could ever get on each GPU; zero where no node is that wide.
    Bytes largest_memory(GpuCount gang) const;

    /// The GPU's worker has come, or is gone.
    void set_present(GpuId gpu, bool present);
    void set_condition(GpuId gpu, const GpuCondition& condition);
    void set_kept(GpuId gpu, bool kept);
    /// Every GPU of the span must be free.
    void hold(const GpuSpan& span, TaskId task);
    /// Every GPU of the span must be held by this task.
    void release(const GpuSpan& span, TaskId task, Instant now = kStart);
    /// From its holder to another task, without being free in between.
    void pass_on(GpuId gpu, TaskId from, TaskId to);
    /// When it was last given back.
    Instant idle_since(GpuId gpu) const { return gpus_[gpu.value()].idle_since; }
    void set_idle_since(GpuId gpu, Instant since) { gpus_[gpu.value()].idle_since = since; }

private:
    struct Seat {
        GpuSpec spec;
        NodeId node;
        TaskId holder;  ///< 0: nobody; tasks count from 1.
        bool present = false;
        bool kept = false;
        GpuCondition condition;
        Instant idle_since = kStart;
    };

    void refresh(GpuId gpu);
    void widen(std::span<const GpuSpec> gpus);
    void measure_nodes();

    std::vector<Seat> gpus_;
    std::vector<GpuSpan> nodes_;
    std::vector<KindId> kinds_;       ///< By node.
    std::vector<Bytes> largest_for_;  ///< By gang width less one.
    FreeSet free_;
};

}  // namespace sy::cluster
