// Books: what must hold in a crowd, by counting. Nothing is shared with the brains but their words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ids.h"
#include "core/agent/agent.h"
#include "core/model/effect.h"

namespace sy::sim {

class Books {
public:
    Books(std::uint32_t gpus, std::uint64_t tasks) : on_gpu_(gpus), life_(tasks + 1) {}

    void accepted(TaskId task) {
        if (task.value() >= life_.size() || life_[task.value()].accepted)
            return complain(fmt::format("task {} was accepted twice, or never handed in", task.value()));
        life_[task.value()].accepted = true;
    }

    void process_began(const agent::Launch& launch) {
        Life& life = life_[launch.task.value()];
        if (++life.alive > 1) complain(fmt::format("task {} runs twice", launch.task.value()));
        for (GpuId gpu = launch.span.first; gpu < launch.span.end(); gpu = gpu.next()) {
            TaskId& holder = on_gpu_[gpu.value()];
            if (holder != TaskId{})
                complain(fmt::format("gpu{} runs tasks {} and {}", gpu.value(), holder.value(), launch.task.value()));
            holder = launch.task;
        }
    }
    void process_ended(const agent::Launch& launch, bool well) {
        Life& life = life_[launch.task.value()];
        --life.alive;
        life.ran_well = life.ran_well || well;
        for (GpuId gpu = launch.span.first; gpu < launch.span.end(); gpu = gpu.next()) on_gpu_[gpu.value()] = TaskId{};
    }

    void ended(const TaskEnded& end) {
        Life& life = life_[end.task.value()];
        if (++life.ends > 1) complain(fmt::format("task {} ended twice", end.task.value()));
        if ((end.end == End::succeeded) != life.ran_well)
            complain(fmt::format("task {} ended otherwise than its process", end.task.value()));
    }

    /// When all is over.
    void close() {
        for (std::size_t task = 1; task < life_.size(); ++task)
            if (!life_[task].accepted || life_[task].ends != 1 || life_[task].alive != 0)
                complain(fmt::format("task {}: accepted {}, ended {} times, {} processes left", task,
                                     life_[task].accepted, life_[task].ends, life_[task].alive));
    }

    const std::vector<std::string>& complaints() const { return complaints_; }

private:
    static constexpr std::size_t kMostComplaints = 100;

    struct Life {
        bool accepted = false;
        bool ran_well = false;
        std::int8_t alive = 0;
        std::uint8_t ends = 0;
    };

    void complain(std::string what) {
        if (complaints_.size() < kMostComplaints) complaints_.push_back(std::move(what));
    }

    std::vector<TaskId> on_gpu_;
    std::vector<Life> life_;  ///< By task.
    std::vector<std::string> complaints_;
};

}  // namespace sy::sim
