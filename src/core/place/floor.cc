#include "core/place/floor.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace sy::place {

namespace {

/// The part of a job's amount that goes with this many of its GPUs, rounded up.
std::uint64_t part(std::uint64_t amount, GpuCount gpus, GpuCount of) {
    if (gpus == of || amount == 0) return amount;
    return amount / of * gpus + (amount % of * gpus + of - 1) / of;
}

Bytes part(Bytes amount, GpuCount gpus, GpuCount of) {
    return Bytes(part(amount.value(), gpus, of));
}

/// Nothing is ever taken from what has no limit.
template <class Amount>
void change(Amount& free, Amount capacity, Amount by, bool take) {
    if (capacity == std::numeric_limits<Amount>::max()) return;
    free = take ? free - std::min(free, by) : free + by;
}

void change(Bytes& free, Bytes capacity, Bytes by, bool take) {
    std::uint64_t amount = free.value();
    change(amount, capacity.value(), by.value(), take);
    free = Bytes(amount);
}

}  // namespace

Floor::Floor(std::span<const NodeSpec> nodes, bool searched) {
    nodes_.own().assign(nodes.begin(), nodes.end());
    for (const NodeSpec& node : nodes) largest_ = std::max(largest_, node.gpus);
    if (searched) level_.resize(std::size_t{largest_} + 1);
    for (const NodeSpec& node : nodes) enter(node);
}

NodeId Floor::enter(const NodeSpec& node) {
    const NodeId id(static_cast<std::uint32_t>(free_.size()));
    free_.push_back({0, node.cpus, node.host_memory, node.network});
    if (!level_.empty()) {
        level_[0].set(id.value(), true);
        counts_.set(0, true);
    }
    set_free(id, node.gpus);
    total_gpus_ += node.gpus;
    sort_in(node);
    return id;
}

void Floor::set_kind(NodeId node, KindId kind) {
    NodeSpec& spec = nodes_.own()[node.value()];
    spec.kind = kind;
    sort_in(spec);
}

void Floor::sort_in(const NodeSpec& node) {
    const auto same = std::find_if(sorts_.begin(), sorts_.end(), [&](const Sort& sort) {
        return sort.kind == node.kind && sort.gpu_memory == node.gpu_memory;
    });
    if (same == sorts_.end()) {
        sorts_.push_back({node.kind, node.gpu_memory, node.gpus});
    } else {
        same->largest_node = std::max(same->largest_node, node.gpus);
    }
}

Floor Floor::of_neighbours(std::span<const NodeSpec> nodes) {
    Floor floor;
    for (const NodeSpec& node : nodes) floor.add_node(node, std::vector(node.gpus, GpuSpec{node.gpu_memory}));
    return floor;
}

NodeId Floor::add_node(const NodeSpec& node, std::span<const GpuSpec> gpus) {
    SY_CHECK(node.gpus == gpus.size() && bays_.empty() == nodes_->empty(), "a node of {} GPUs, told of {} one by one",
             node.gpus, gpus.size());
    nodes_.own().push_back(node);
    bays_.add_node(gpus);
    largest_ = std::max(largest_, node.gpus);
    level_.resize(std::size_t{largest_} + 1);
    return enter(node);
}

void Floor::set_present(NodeId node, GpuCount at, bool present) {
    bays_.set_present(node, at, present);
    set_free(node, bays_.free_on(node));
}

GpuCount Floor::largest_node(const Demand& demand) const {
    if (demand.kind == KindId{} && demand.memory == Bytes{}) return largest_;
    GpuCount largest = 0;
    for (const Sort& sort : sorts_)
        if ((demand.kind == KindId{} || sort.kind == demand.kind) && sort.gpu_memory >= demand.memory)
            largest = std::max(largest, sort.largest_node);
    return largest;
}

bool Floor::has_special_room(NodeId node, const Demand& demand, GpuCount gpus) const {
    const NodeSpec& spec = this->node(node);
    const Amounts& free = free_[node.value()];
    return (demand.kind == KindId{} || demand.kind == spec.kind) && demand.memory <= spec.gpu_memory &&
           part(demand.cpus, gpus, demand.gpus) <= free.cpus &&
           part(demand.host_memory, gpus, demand.gpus) <= free.host_memory &&
           part(demand.network, gpus, demand.gpus) <= free.network;
}

bool Floor::has_room(const Seat& seat, const Demand& demand) const {
    bool room = true;
    seat.for_each([&](const Share& share) { room = room && has_room(share, demand); });
    return room;
}

bool Floor::has_room(const Share& share, const Demand& demand) const {
    if (bays_.empty()) return has_room(share.node, demand, share.gpus);
    return bays_.is_free(share.node, share.at, share.gpus) &&
           (!demand_is_special(demand) || has_special_room(share.node, demand, share.gpus));
}

bool Floor::is_tied(const Demand& demand) const {
    if (!demand.is_tied() || bays_.empty()) return false;
    const auto [node, at] = bays_.place_of(demand.on.first);
    for (GpuCount i = 0; i < demand.on.count; ++i)
        if (!bays_.is_present(node, at + i)) return false;
    return true;
}

std::optional<Seat> Floor::tied_seat(const Demand& demand) const {
    const auto [node, at] = bays_.place_of(demand.on.first);
    Seat seat{{node, demand.on.count, at}, {}};
    bool fits = has_room(seat, demand);
    for (GpuCount i = 0; i < demand.on.count; ++i) fits = fits && bays_.memory(node, at + i) >= demand.memory;
    return fits ? std::optional(std::move(seat)) : std::nullopt;
}

double Floor::left_over(NodeId node, const Demand& demand) const {
    const NodeSpec& spec = this->node(node);
    const Amounts& free = free_[node.value()];
    const auto left = [](std::uint64_t has, std::uint64_t wanted, std::uint64_t capacity, bool limited) {
        return limited && capacity > 0 ? static_cast<double>(has - wanted) / static_cast<double>(capacity) : 0.0;
    };
    constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
    return left(free.gpus, demand.gpus, spec.gpus, true) +
           left(free.cpus, demand.cpus, spec.cpus, spec.cpus != std::numeric_limits<std::uint32_t>::max()) +
           left(free.host_memory.value(), demand.host_memory.value(), spec.host_memory.value(),
                spec.host_memory.value() != kUnlimited) +
           left(free.network.value(), demand.network.value(), spec.network.value(), spec.network.value() != kUnlimited);
}

void Floor::set_free(NodeId node, GpuCount gpus) {
    GpuCount& free = free_[node.value()].gpus;
    const GpuCount before = std::exchange(free, gpus);
    free_gpus_ += gpus;
    free_gpus_ -= before;
    if (level_.empty() || before == gpus) return;
    level_[before].set(node.value(), false);
    if (level_[before].count() == 0) counts_.set(before, false);
    level_[gpus].set(node.value(), true);
    if (level_[gpus].count() == 1) counts_.set(gpus, true);
}

void Floor::take(const Seat& seat, const Demand& demand) {
    seat.for_each([&](const Share& share) {
        SY_CHECK(has_room(share, demand), "node {} has no room for {} GPUs", share.node.value(), share.gpus);
        take(share, demand);
    });
}

void Floor::take(const Share& share, const Demand& demand) {
    if (bays_.empty()) {
        set_free(share.node, free_on(share.node) - std::min(free_on(share.node), share.gpus));
    } else {
        bays_.set_taken(share.node, share.at, share.gpus, true);
        set_free(share.node, bays_.free_on(share.node));
    }
    if (demand_is_special(demand)) change_special(share, demand, true);
}

void Floor::give_back(const Seat& seat, const Demand& demand) {
    seat.for_each([&](const Share& share) {
        SY_CHECK(node(share.node).gpus - free_on(share.node) >= share.gpus, "node {} gets back {} GPUs it did not give",
                 share.node.value(), share.gpus);
        if (bays_.empty()) {
            set_free(share.node, free_on(share.node) + share.gpus);
        } else {
            bays_.set_taken(share.node, share.at, share.gpus, false);
            set_free(share.node, bays_.free_on(share.node));
        }
        if (demand_is_special(demand)) change_special(share, demand, false);
    });
}

void Floor::set_up(NodeId node, bool up) {
    const GpuCount gpus = this->node(node).gpus;
    const Seat whole{{node, gpus, 0}, {}};
    const Demand nobody{.gpus = gpus};  // the node as such: what goes with its GPUs is of no use without them
    up ? give_back(whole, nobody) : take(whole, nobody);
}

void Floor::take_what_is_there(const Seat& seat, const Demand& demand) {
    seat.for_each([&](const Share& share) { take(share, demand); });
}

void Floor::change_special(const Share& share, const Demand& demand, bool take) {
    const NodeSpec& spec = node(share.node);
    Amounts& free = free_[share.node.value()];
    const auto cpus = static_cast<std::uint32_t>(part(demand.cpus, share.gpus, demand.gpus));
    change(free.cpus, spec.cpus, cpus, take);
    change(free.host_memory, spec.host_memory, part(demand.host_memory, share.gpus, demand.gpus), take);
    change(free.network, spec.network, part(demand.network, share.gpus, demand.gpus), take);
}

void Floor::keep_common(const Floor& other) {
    for (std::size_t n = 0; n < free_.size(); ++n) {
        const NodeId node(static_cast<std::uint32_t>(n));
        Amounts& free = free_[n];
        const Amounts& theirs = other.free_[n];
        free.cpus = std::min(free.cpus, theirs.cpus);
        free.host_memory = std::min(free.host_memory, theirs.host_memory);
        free.network = std::min(free.network, theirs.network);
        if (theirs.gpus < free.gpus && bays_.empty()) set_free(node, theirs.gpus);
    }
    if (bays_.empty()) return;
    bays_.keep_common(other.bays_);
    for (std::uint32_t n = 0; n < free_.size(); ++n) set_free(NodeId(n), bays_.free_on(NodeId(n)));
}

}  // namespace sy::place
