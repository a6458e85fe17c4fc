// Joins, leaves and changes of weight or health cost O(n) for the sorted list of those available; picks and finishes,
// which are a million times as frequent, cost O(1). Policies follow suit: they look at version() and work out anew what
// they need at the next pick, so ten changes between two picks cost one update.
#include "core/balance/fleet.h"

#include <algorithm>

#include "base/check.h"

namespace sy::balance {

std::optional<Slot> Fleet::slot_of(ReplicaId id) const {
    const auto found = slots_of_.find(id);
    return found == slots_of_.end() ? std::nullopt : std::optional(found->second);
}

void Fleet::count(const Replica& replica, bool in) {
    const auto sum = [in](std::uint64_t& total, std::uint64_t part) { total = in ? total + part : total - part; };
    if (replica.present() && replica.healthy()) healthy_count_ = in ? healthy_count_ + 1 : healthy_count_ - 1;
    if (!replica.available()) return;
    sum(total_pull_, replica.pull());
    sum(total_in_flight_, replica.in_flight);
    sum(total_work_, replica.work);
}

void Fleet::list(Slot slot, bool in) {
    const auto by_id = [this](Slot a, Slot b) { return replicas_[a].id < replicas_[b].id; };
    const auto spot = std::lower_bound(available_.begin(), available_.end(), slot, by_id);
    if (in)
        available_.insert(spot, slot);
    else
        available_.erase(spot);
}

template <class Change>
void Fleet::change(Slot slot, Change apply) {
    Replica& replica = replicas_[slot];
    const std::uint64_t pull_before = replica.pull();
    count(replica, false);
    if (pull_before > 0) list(slot, false);
    apply(replica);
    count(replica, true);
    if (replica.available()) list(slot, true);
    if (replica.pull() != pull_before) ++version_;
}

Slot Fleet::join(ReplicaId id, std::uint32_t weight, std::uint32_t share) {
    if (free_slots_.empty()) {
        free_slots_.push_back(slot_end());
        replicas_.emplace_back();
    }
    const Slot slot = free_slots_.back();
    free_slots_.pop_back();
    SY_CHECK(slots_of_.emplace(id, slot).second, "replica {} joins twice", id.value());
    change(slot, [&](Replica& replica) { replica = {id, weight, share, ++stays_, 0, 0}; });
    return slot;
}

void Fleet::leave(Slot slot) {
    slots_of_.erase(replicas_[slot].id);
    change(slot, [](Replica& replica) { replica.stay = 0; });
    free_slots_.push_back(slot);
}

void Fleet::set_weight(Slot slot, std::uint32_t weight) {
    change(slot, [weight](Replica& replica) { replica.weight = weight; });
}

void Fleet::set_share(Slot slot, std::uint32_t share) {
    change(slot, [share](Replica& replica) { replica.share = share; });
}

Ticket Fleet::start(Slot slot, std::uint64_t size) {
    Replica& replica = replicas_[slot];
    SY_CHECK(replica.available(), "a request started on replica {}, which is not available", replica.id.value());
    ++replica.in_flight;
    replica.work += size;
    ++total_in_flight_;
    total_work_ += size;
    return {replica.id, slot, replica.stay, size};
}

bool Fleet::finish(const Ticket& ticket) {
    if (ticket.stay == 0 || ticket.slot >= slot_end()) return false;
    Replica& replica = replicas_[ticket.slot];
    if (replica.stay != ticket.stay || replica.in_flight == 0 || replica.work < ticket.size) return false;
    --replica.in_flight;
    replica.work -= ticket.size;
    if (!replica.available()) return true;
    --total_in_flight_;
    total_work_ -= ticket.size;
    return true;
}

}  // namespace sy::balance
