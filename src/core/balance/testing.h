// Testing: fleets in a line or two, for the tests of this folder.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "core/balance/balancer.h"
#include "core/balance/registry.h"

namespace sy::balance {

/// Replicas 0, 1, ... with these weights.
inline Balancer fleet_of(std::string_view policy, const std::vector<std::uint32_t>& weights,
                         const Settings& settings = {}) {
    Balancer balancer(make_policy(policy, settings));
    for (std::uint32_t id = 0; id < weights.size(); ++id) EXPECT_TRUE(balancer.join(ReplicaId(id), weights[id]));
    return balancer;
}

/// Picks, and finishes at once.
inline std::uint32_t pick_and_finish(Balancer& balancer, const Request& request = {}) {
    const auto ticket = balancer.pick(request);
    EXPECT_TRUE(ticket && balancer.finish(*ticket));
    return ticket->replica.value();
}

inline const Replica& replica(const Balancer& balancer, std::uint32_t id) {
    return balancer.fleet().at(*balancer.fleet().slot_of(ReplicaId(id)));
}

}  // namespace sy::balance
