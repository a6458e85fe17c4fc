// Balancer: a fleet and a policy. Requests ask it where to go and say when they are over (S7).
//
// It picks only healthy replicas with a weight, and where there is none it says why. Replicas come and go, weights,
// health and tuning change at any time; requests in flight are never moved. A ticket of a stay that is over changes
// nothing. A ticket handed back twice is refused only where nothing else of that size is in flight: we keep counts, not
// tickets.
#pragma once

#include <memory>

#include "base/result.h"
#include "core/balance/fleet.h"
#include "core/balance/policy.h"

namespace sy::balance {

class Balancer {
public:
    explicit Balancer(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

    const Fleet& fleet() const { return fleet_; }

    /// With share 0 it waits until it is said to be healthy.
    Result<void> join(ReplicaId id, std::uint32_t weight, std::uint32_t share = kFullShare);
    /// Its requests in flight are forgotten.
    Result<void> leave(ReplicaId id);
    Result<void> set_weight(ReplicaId id, std::uint32_t weight);
    /// In thousandths: 0 is unhealthy, 1,000 is well (core/balance/checks.h says which).
    Result<void> set_share(ReplicaId id, std::uint32_t share);
    Result<void> tune(const Tuning& tuning);

    tl::expected<Ticket, Absence> pick(const Request& request);
    /// False where the ticket is out of date.
    bool finish(const Ticket& ticket);

private:
    Result<Slot> find(ReplicaId id) const;

    Fleet fleet_;
    std::unique_ptr<Policy> policy_;
};

/// For a person: "no replica is healthy".
std::string_view text_of(Absence absence);

}  // namespace sy::balance
