// Nodes: the machines that make up the cluster. Each has a name under which it comes back to its old numbers. One that
// was forgotten leaves them to the next that is just like it, so that machines which come under ever new names, as
// those of a cloud do, use up no numbers.
#include <algorithm>

#include "core/control/core.h"

namespace sy::control {

namespace {

/// Which kind it is can be told anew.
bool is_alike_but_for_kind(NodeAmounts a, const NodeAmounts& b) {
    a.kind = b.kind;
    return a == b;
}

/// And not an operator's wish.
bool is_of_its_host(GpuDuty duty) {
    return duty == GpuDuty::in_service || duty == GpuDuty::leaving || duty == GpuDuty::cut_off;
}

}  // namespace

void Core::on(const AddNode& event) {
    if (const Reason reason = why_refuse(event)) {
        effects_.emplace_back(NodeRefused{reason, event.name});
        return;
    }
    const auto left = place_left_by_one_like(event);
    const NodeId node = left.value_or(NodeId(static_cast<std::uint32_t>(ledger_.nodes().size())));
    if (left) {
        node_names_[node.value()] = event.name;
        on(TellKind{node, event.amounts.kind});
    } else {
        bring(event);
        health_.add_workers(event.gpus.size());
    }
    const GpuSpan gpus = ledger_.nodes()[node.value()];
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) {
        if (left) set_condition(gpu, {});
        set_present(gpu, false);  // until its worker comes
    }
    effects_.emplace_back(NodeAdded{node, gpus, event.name});
}

/// All its GPUs present, nobody on them.
void Core::bring(const AddNode& node) {
    const GpuSpan gpus = ledger_.add_node(node.gpus, node.amounts.kind);
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) ledger_.set_present(gpu, true);
    amounts_.push_back(node.amounts);
    node_names_.push_back(node.name);
    shelves_.add_gpus(node.gpus.size());
    succession_.add_gpus(node.gpus.size());
    Bytes largest;
    for (const GpuSpec& gpu : node.gpus) largest = std::max(largest, gpu.memory);
    scheduler_.add_node({.gpus = gpus.count,
                         .kind = node.amounts.kind,
                         .gpu_memory = largest,
                         .cpus = node.amounts.cpus,
                         .host_memory = node.amounts.host_memory,
                         .network = node.amounts.network},
                        node.gpus);
}

Reason Core::why_refuse(const AddNode& event) const {
    const std::size_t width = event.gpus.size();
    const Limits& limits = settings_.limits;
    if (width == 0) return {Cause::no_gpus, 0, 1};
    if (event.name != NameId{} && node_named(event.name))
        return {Cause::node_known, static_cast<std::int64_t>(event.name.value()), 0};
    if (width > limits.gpus_per_node)
        return {Cause::node_too_wide, static_cast<std::int64_t>(width), limits.gpus_per_node};
    if (place_left_by_one_like(event)) return {};
    const std::size_t total = ledger_.gpu_count() + width;
    if (total > limits.gpus) return {Cause::too_many_gpus, static_cast<std::int64_t>(total), limits.gpus};
    return {};
}

std::optional<NodeId> Core::place_left_by_one_like(const AddNode& event) const {
    for (std::uint32_t n = 0; n < ledger_.nodes().size(); ++n) {
        const GpuSpan& gpus = ledger_.nodes()[n];
        if (ledger_.is_gone(gpus.first) && is_alike_but_for_kind(amounts_[n], event.amounts) &&
            ledger_.specs_of(gpus) == event.gpus)
            return NodeId(n);
    }
    return std::nullopt;
}

std::optional<NodeId> Core::node_named(NameId name) const {
    for (std::uint32_t n = 0; n < node_names_.size(); ++n)
        if (node_names_[n] == name && !ledger_.is_gone(ledger_.nodes()[n].first)) return NodeId(n);
    return std::nullopt;
}

/// A task that runs keeps what it asked for: who is there decides until nobody is.
void Core::on(const TellKind& event) {
    if (event.node.value() >= ledger_.nodes().size()) return;
    const GpuSpan& gpus = ledger_.nodes()[event.node.value()];
    if (ledger_.kind(event.node) != KindId{})
        for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
            if (ledger_.holder(gpu)) return;
    amounts_[event.node.value()].kind = event.kind;
    ledger_.set_kind(event.node, event.kind);
    scheduler_.set_kind(event.node, event.kind);
    changed_ = true;
}

void Core::on(const TellLine& event) {
    if (event.node.value() >= ledger_.nodes().size() || !is_of_its_host(event.duty)) return;
    const GpuSpan& gpus = ledger_.nodes()[event.node.value()];
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) {
        GpuCondition condition = ledger_.condition(gpu);
        const bool goes_anyway = condition.duty == GpuDuty::leaving && event.duty == GpuDuty::cut_off;
        if (!is_of_its_host(condition.duty) || goes_anyway || condition.duty == event.duty) continue;
        condition.duty = event.duty;
        set_condition(gpu, condition);
    }
}

void Core::on(const ForgetNode& event) {
    if (const Reason reason = why_refuse(event)) {
        effects_.emplace_back(Refused{event.request, reason});
        return;
    }
    const GpuSpan& gpus = ledger_.nodes()[node_named(event.name)->value()];
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) set_condition(gpu, {.duty = GpuDuty::gone});
    effects_.emplace_back(Done{event.request});
}

Reason Core::why_refuse(const ForgetNode& event) const {
    const auto node = event.name == NameId{} ? std::nullopt : node_named(event.name);
    if (!node) return {Cause::unknown_node, static_cast<std::int64_t>(event.name.value()), 0};
    const GpuSpan& gpus = ledger_.nodes()[node->value()];
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
        if (ledger_.is_present(gpu) || ledger_.holder(gpu)) return {Cause::node_in_use, gpu.value(), 0};
    return {};
}

}  // namespace sy::control
