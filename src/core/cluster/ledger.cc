#include "core/cluster/ledger.h"

#include <algorithm>

#include "base/check.h"

namespace sy::cluster {

namespace {

/// For each width, the most memory that every GPU of some run of that width has. Linear: a stack of rising GPUs gives
/// each one the widest run in which it is the smallest, and a run that holds for one width holds for all below.
std::vector<Bytes> largest_minimum_by_width(std::span<const GpuSpec> gpus) {
    std::vector<Bytes> largest(gpus.size());
    std::vector<std::size_t> rising;
    for (std::size_t i = 0; i <= gpus.size(); ++i) {
        while (!rising.empty() && (i == gpus.size() || gpus[i].memory <= gpus[rising.back()].memory)) {
            const Bytes smallest = gpus[rising.back()].memory;
            rising.pop_back();
            const std::size_t width = rising.empty() ? i : i - rising.back() - 1;
            largest[width - 1] = std::max(largest[width - 1], smallest);
        }
        rising.push_back(i);
    }
    for (std::size_t width = gpus.size(); width > 1; --width)
        largest[width - 2] = std::max(largest[width - 2], largest[width - 1]);
    return largest;
}

}  // namespace

GpuSpan Ledger::add_node(std::span<const GpuSpec> gpus, KindId kind) {
    const GpuSpan span{GpuId(static_cast<std::uint32_t>(gpus_.size())), static_cast<GpuCount>(gpus.size())};
    const NodeId node(static_cast<std::uint32_t>(nodes_.size()));
    for (const GpuSpec& spec : gpus) gpus_.push_back({.spec = spec, .node = node});
    nodes_.push_back(span);
    kinds_.push_back(kind);
    widen(gpus);
    return span;
}

void Ledger::widen(std::span<const GpuSpec> gpus) {
    const std::vector<Bytes> largest = largest_minimum_by_width(gpus);
    if (largest_for_.size() < largest.size()) largest_for_.resize(largest.size());
    for (std::size_t i = 0; i < largest.size(); ++i) largest_for_[i] = std::max(largest_for_[i], largest[i]);
}

/// All anew: what was largest may be gone.
void Ledger::measure_nodes() {
    largest_for_.clear();
    for (const GpuSpan& node : nodes_)
        if (!is_gone(node.first)) widen(specs_of(node));
}

bool Ledger::has_kind(KindId kind) const {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
        if (kinds_[n] == kind && !is_gone(nodes_[n].first)) return true;
    return false;
}

std::vector<GpuSpec> Ledger::specs_of(const GpuSpan& span) const {
    std::vector<GpuSpec> specs;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) specs.push_back(gpus_[gpu.value()].spec);
    return specs;
}

std::optional<TaskId> Ledger::holder(GpuId gpu) const {
    const TaskId task = gpus_[gpu.value()].holder;
    return task == TaskId{} ? std::nullopt : std::optional(task);
}

GpuId Ledger::next_free(GpuId from, GpuId end) const {
    return GpuId(static_cast<std::uint32_t>(free_.next(from.value(), end.value())));
}

Bytes Ledger::largest_memory(GpuCount gang) const {
    return gang == 0 || gang > largest_for_.size() ? Bytes{} : largest_for_[gang - 1];
}

void Ledger::set_present(GpuId gpu, bool present) {
    gpus_[gpu.value()].present = present;
    refresh(gpu);
}

void Ledger::set_condition(GpuId gpu, const GpuCondition& condition) {
    const bool was_gone = is_gone(gpu);
    gpus_[gpu.value()].condition = condition;
    refresh(gpu);
    const bool is_first = nodes_[node_of(gpu).value()].first == gpu;
    if (is_first && was_gone != is_gone(gpu)) measure_nodes();
}

void Ledger::set_kept(GpuId gpu, bool kept) {
    gpus_[gpu.value()].kept = kept;
    refresh(gpu);
}

void Ledger::hold(const GpuSpan& span, TaskId task) {
    SY_CHECK(task != TaskId{}, "tasks count from 1");
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        SY_CHECK(is_free(gpu), "gpu{} for task {}: present {}, held by task {}", gpu.value(), task.value(),
                 is_present(gpu), gpus_[gpu.value()].holder.value());
        gpus_[gpu.value()].holder = task;
        refresh(gpu);
    }
}

void Ledger::release(const GpuSpan& span, TaskId task, Instant now) {
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        Seat& seat = gpus_[gpu.value()];
        SY_CHECK(seat.holder == task, "gpu{} is held by task {}, not {}", gpu.value(), seat.holder.value(),
                 task.value());
        seat.holder = TaskId{};
        seat.idle_since = now;
        refresh(gpu);
    }
}

void Ledger::pass_on(GpuId gpu, TaskId from, TaskId to) {
    Seat& seat = gpus_[gpu.value()];
    SY_CHECK(seat.holder == from, "gpu{} is held by task {}, not {}", gpu.value(), seat.holder.value(), from.value());
    seat.holder = to;
}

void Ledger::refresh(GpuId gpu) {
    const Seat& seat = gpus_[gpu.value()];
    free_.set(gpu.value(), takes_work(gpu) && seat.holder == TaskId{});
}

}  // namespace sy::cluster
