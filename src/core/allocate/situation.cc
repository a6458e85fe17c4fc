#include "core/allocate/situation.h"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

namespace sy::allocate {

namespace {

using Fault = std::optional<Error>;

Fault refuse(std::string message, std::string fix = {}) {
    return Error{sy::Fault::invalid_input, std::move(message), std::move(fix)};
}

Fault check_range(std::string_view whose, std::string_view what, std::int64_t value, std::int64_t low,
                  std::int64_t high) {
    if (low <= value && value <= high) return std::nullopt;
    return refuse(fmt::format("{}: {} is {}, allowed are {} to {}", whose, what, value, low, high));
}

Fault check_amounts(std::string_view whose, std::string_view what, const Amounts& amounts) {
    for (const Resource resource : kResources) {
        const std::int64_t amount = amounts[resource];
        if (amount < 0 || amount > kMostAmount)
            return check_range(whose, fmt::format("{} ({})", what, name_of(resource)), amount, 0, kMostAmount);
    }
    return std::nullopt;
}

/// Before it is multiplied, since the product may not fit.
Fault check_want(const Party& party) {
    if (auto fault = check_amounts(party.name, "task", party.task)) return fault;
    if (auto fault = check_range(party.name, "tasks", party.tasks, 0, kMostAmount)) return fault;
    for (const Resource resource : kResources)
        if (party.task[resource] > 0 && party.tasks > kMostAmount / party.task[resource])
            return refuse(fmt::format("{}: {} tasks of {} {} each are more than {}", party.name, party.tasks,
                                      party.task[resource], name_of(resource), kMostAmount));
    return std::nullopt;
}

Fault check_party(const Party& party, std::size_t groups) {
    if (party.name.empty()) return refuse("a party has no name");
    if (auto fault = check_want(party)) return fault;
    if (auto fault = check_range(party.name, "weight", party.weight, 1, kMostWeight)) return fault;
    if (auto fault = check_range(party.name, "bid", party.bid, 0, kMostBid)) return fault;
    if (auto fault = check_amounts(party.name, "minimum", party.minimum)) return fault;
    if (auto fault = check_amounts(party.name, "maximum", party.maximum)) return fault;
    if (auto fault = check_amounts(party.name, "partition", party.partition)) return fault;
    if (auto fault = check_amounts(party.name, "holds", party.holds)) return fault;
    if (!fits(party.minimum, party.maximum)) return refuse(party.name + ": the minimum is above the maximum");
    if (party.group && *party.group >= groups)
        return refuse(fmt::format("{}: is in group {}, and there are {}", party.name, *party.group, groups));
    return std::nullopt;
}

Fault check_groups(const std::vector<Group>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (groups[i].name.empty()) return refuse("a group has no name");
        if (auto fault = check_range(groups[i].name, "weight", groups[i].weight, 1, kMostWeight)) return fault;
        if (groups[i].parent && *groups[i].parent >= i)
            return refuse(groups[i].name + ": its parent does not stand before it", "list parents first");
    }
    return std::nullopt;
}

template <class Things>
Fault check_unique(const Things& things) {
    std::vector<std::string_view> names;
    for (const auto& thing : things) names.push_back(thing.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return std::nullopt;
    return refuse(fmt::format("{}: the name stands twice", *twice));
}

Fault check_elasticity(const Elasticity& elasticity) {
    if (auto fault = check_range("elasticity", "headroom", elasticity.headroom, 0, 100)) return fault;
    if (auto fault = check_range("elasticity", "margin", elasticity.margin, 0, 1'000)) return fault;
    if (auto fault = check_range("elasticity", "shrink_below", elasticity.shrink_below, 0, 100)) return fault;
    if (elasticity.shrink_below * (100 + elasticity.margin) <= 10'000) return std::nullopt;
    return refuse(fmt::format("elasticity: a share {} % above the need would shrink at once below {} %",
                              elasticity.margin, elasticity.shrink_below),
                  "lower margin or shrink_below");
}

}  // namespace

std::optional<Error> find_fault(const Situation& situation) {
    if (situation.parties.size() > kMostParties)
        return refuse(fmt::format("{} parties, allowed are {}", situation.parties.size(), kMostParties));
    if (situation.groups.size() > kMostParties)
        return refuse(fmt::format("{} groups, allowed are {}", situation.groups.size(), kMostParties));
    if (auto fault = check_amounts("the cluster", "capacity", situation.capacity)) return fault;
    if (auto fault = check_elasticity(situation.elasticity)) return fault;
    if (auto fault = check_groups(situation.groups)) return fault;
    for (const Party& party : situation.parties)
        if (auto fault = check_party(party, situation.groups.size())) return fault;
    if (auto fault = check_unique(situation.groups)) return fault;
    return check_unique(situation.parties);
}

}  // namespace sy::allocate
