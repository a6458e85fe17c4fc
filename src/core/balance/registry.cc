#include "core/balance/registry.h"

#include <array>

#include "base/named.h"
#include "core/balance/consistent_hash.h"
#include "core/balance/least_connections.h"
#include "core/balance/power_of_two.h"
#include "core/balance/prefix_affinity.h"
#include "core/balance/round_robin.h"
#include "core/balance/source_hash.h"
#include "core/balance/weighted_round_robin.h"

namespace sy::balance {

namespace {

/// Unlike other policies these remember, so each is made for its fleet from settings, and is not const.
struct Line {
    std::string_view name;
    std::unique_ptr<Policy> (*make)(const Settings&);
};

template <class T>
constexpr Line line(std::string_view name) {
    return {name, [](const Settings& settings) -> std::unique_ptr<Policy> { return std::make_unique<T>(settings); }};
}

constexpr std::array kPolicies{
    line<ConsistentHash>("consistent-hash"),
    line<LeastConnections>("least-connections"),
    line<PowerOfTwo>("power-of-two"),
    line<PrefixAffinity>("prefix-affinity"),
    line<RoundRobin>("round-robin"),
    line<SourceHash>("source-hash"),
    line<WeightedRoundRobin>("weighted-round-robin"),
};

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view name, const Settings& settings) {
    for (const Line& known : kPolicies)
        if (known.name == name) return known.make(settings);
    return nullptr;
}

std::vector<std::string_view> policy_names() {
    return names_of(kPolicies);
}

}  // namespace sy::balance
