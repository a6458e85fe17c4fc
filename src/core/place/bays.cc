#include "core/place/bays.h"

#include <algorithm>
#include <utility>

namespace sy::place {

void Bays::add_node(std::span<const GpuSpec> gpus) {
    std::vector<Bytes>& memory = memory_.own();
    first_.push_back(memory.size());
    for (const GpuSpec& gpu : gpus) {
        free_.set(memory.size(), true);
        memory.push_back(gpu.memory);
    }
}

std::pair<NodeId, GpuCount> Bays::place_of(GpuId gpu) const {
    const auto next = std::upper_bound(first_.begin(), first_.end(), std::size_t{gpu.value()});
    const auto node = static_cast<std::uint32_t>(next - first_.begin() - 1);
    return {NodeId(node), static_cast<GpuCount>(gpu.value() - first_[node])};
}

GpuCount Bays::free_on(NodeId node) const {
    GpuCount count = 0;
    for (std::size_t i = free_.next(number(node, 0), end(node)); i < end(node); i = free_.next(i + 1, end(node)))
        ++count;
    return count;
}

bool Bays::is_free(NodeId node, GpuCount at, GpuCount count) const {
    for (GpuCount i = at; i < at + count; ++i)
        if (!free_.contains(number(node, i))) return false;
    return true;
}

std::optional<GpuCount> Bays::first_run(NodeId node, GpuCount count, Bytes memory) const {
    GpuCount run = 0;
    for (std::size_t i = free_.next(number(node, 0), end(node)); i < end(node); ++i) {
        run = free_.contains(i) && (*memory_)[i] >= memory ? run + 1 : 0;
        if (run == count) return static_cast<GpuCount>(i + 1 - count - first_[node.value()]);
    }
    return std::nullopt;
}

void Bays::set_present(NodeId node, GpuCount at, bool present) {
    const std::size_t gpu = number(node, at);
    away_.set(gpu, !present);
    free_.set(gpu, present && !taken_.contains(gpu));
}

void Bays::set_memory(NodeId node, GpuCount at, Bytes memory) {
    const std::size_t gpu = number(node, at);
    if ((*memory_)[gpu] != memory) memory_.own()[gpu] = memory;
}

void Bays::set_taken(NodeId node, GpuCount at, GpuCount count, bool taken) {
    for (std::size_t gpu = number(node, at); gpu < number(node, at + count); ++gpu) {
        taken_.set(gpu, taken);
        free_.set(gpu, !taken && !away_.contains(gpu));
    }
}

void Bays::keep_common(const Bays& other) {
    free_.keep_common(other.free_);
}

}  // namespace sy::place
