// Fleet: the replicas of one service, who of them can be picked, and what each has in flight.
//
// It checks nothing but its own books: Balancer stands before it and refuses what is wrong. Policies read it. Whatever
// a policy has worked out from ids and pulls holds as long as version() stays the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/balance/replica.h"

namespace sy::balance {

class Fleet {
public:
    std::size_t size() const { return slots_of_.size(); }
    /// One past the highest slot in use or used before.
    Slot slot_end() const { return static_cast<Slot>(replicas_.size()); }
    const Replica& at(Slot slot) const { return replicas_[slot]; }
    std::optional<Slot> slot_of(ReplicaId id) const;

    /// Healthy and with a weight, by id.
    const std::vector<Slot>& available() const { return available_; }
    /// Sums over those that are available. What others still have in flight is no load to share.
    std::uint64_t total_pull() const { return total_pull_; }
    std::uint64_t total_in_flight() const { return total_in_flight_; }
    std::uint64_t total_work() const { return total_work_; }
    /// Grows whenever somebody becomes available, ceases to be, or changes its pull.
    std::uint64_t version() const { return version_; }
    std::size_t healthy_count() const { return healthy_count_; }

    Slot join(ReplicaId id, std::uint32_t weight, std::uint32_t share);
    void leave(Slot slot);
    void set_weight(Slot slot, std::uint32_t weight);
    void set_share(Slot slot, std::uint32_t share);

    Ticket start(Slot slot, std::uint64_t size);
    /// False where that stay is over, or nothing of that size is in flight there.
    bool finish(const Ticket& ticket);

private:
    /// Takes a replica out of all sums, lets it change, and puts it back.
    template <class Change>
    void change(Slot slot, Change apply);
    void count(const Replica& replica, bool in);
    void list(Slot slot, bool in);

    std::vector<Replica> replicas_;
    std::vector<Slot> free_slots_;
    std::map<ReplicaId, Slot> slots_of_;
    std::vector<Slot> available_;
    std::uint64_t total_pull_ = 0;
    std::uint64_t total_in_flight_ = 0;
    std::uint64_t total_work_ = 0;
    std::uint64_t version_ = 0;
    std::uint64_t stays_ = 0;
    std::size_t healthy_count_ = 0;
};

}  // namespace sy::balance
