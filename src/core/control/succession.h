// Succession: calls handed to a worker ahead of time, each to begin when the one before it on its GPU has ended; and
// which GPUs such calls could be handed to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace sy::control {

class Succession {
public:
    /// How many stand behind the call under way, and where.
    using Host = std::pair<std::uint32_t, GpuId>;

    void add_gpus(std::size_t count) { gpus_.resize(gpus_.size() + count); }

    /// A GPU runs a call of this model, or runs none any more. Nobody may stand behind it then.
    void open(GpuId gpu, NameId model);
    void close(GpuId gpu);
    /// The GPUs that run a call of this model, those with the fewest behind it first.
    const std::set<Host>& hosts(NameId model) const;
    bool is_host(GpuId gpu, NameId model) const { return gpus_[gpu.value()].model == model; }

    void add(GpuId gpu, TaskId task);
    void remove(GpuId gpu, TaskId task);
    /// In the order in which they will begin.
    std::span<const TaskId> behind(GpuId gpu) const { return gpus_[gpu.value()].tasks; }
    std::optional<TaskId> first(GpuId gpu) const;
    /// The GPUs where somebody stands behind another.
    const std::set<GpuId>& crowded() const { return crowded_; }

private:
    struct Gpu {
        NameId model;  ///< Of the call under way; 0: none.
        std::vector<TaskId> tasks;
    };

    Host host(GpuId gpu) const { return {static_cast<std::uint32_t>(gpus_[gpu.value()].tasks.size()), gpu}; }
    template <class Change>
    void change(GpuId gpu, Change change);

    std::vector<Gpu> gpus_;
    std::map<NameId, std::set<Host>> hosts_;
    std::set<GpuId> crowded_;
};

}  // namespace sy::control
