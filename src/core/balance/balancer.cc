#include "core/balance/balancer.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/check.h"

namespace sy::balance {

namespace {

Result<void> within(const char* what, std::uint32_t value, std::uint32_t limit) {
    if (value <= limit) return {};
    return fail(Fault::invalid_input, fmt::format("{} {} is above {}", what, value, limit));
}

}  // namespace

Result<Slot> Balancer::find(ReplicaId id) const {
    const auto slot = fleet_.slot_of(id);
    if (!slot) return fail(Fault::invalid_input, fmt::format("replica {} has not joined", id.value()));
    return *slot;
}

Result<void> Balancer::join(ReplicaId id, std::uint32_t weight, std::uint32_t share) {
    if (fleet_.slot_of(id)) return fail(Fault::invalid_input, fmt::format("replica {} has joined already", id.value()));
    if (fleet_.size() >= kMostReplicas)
        return fail(Fault::invalid_input, fmt::format("there are {} replicas, which is the limit", kMostReplicas));
    if (auto weighed = within("weight", weight, kLargestWeight); !weighed) return weighed;
    if (auto shared = within("share", share, kFullShare); !shared) return shared;
    fleet_.join(id, weight, share);
    return {};
}

Result<void> Balancer::leave(ReplicaId id) {
    return find(id).map([this](Slot slot) { fleet_.leave(slot); });
}

Result<void> Balancer::set_weight(ReplicaId id, std::uint32_t weight) {
    if (auto weighed = within("weight", weight, kLargestWeight); !weighed) return weighed;
    return find(id).map([&](Slot slot) { fleet_.set_weight(slot, weight); });
}

Result<void> Balancer::set_share(ReplicaId id, std::uint32_t share) {
    if (auto shared = within("share", share, kFullShare); !shared) return shared;
    return find(id).map([&](Slot slot) { fleet_.set_share(slot, share); });
}

Result<void> Balancer::tune(const Tuning& tuning) {
    if (auto bounded = within("epsilon", tuning.epsilon, kLargestEpsilon); !bounded) return bounded;
    if (auto matched = within("least match", tuning.least_match, 1'000); !matched) return matched;
    policy_->tune(tuning);
    return {};
}

tl::expected<Ticket, Absence> Balancer::pick(const Request& request) {
    if (fleet_.available().empty()) {
        if (fleet_.size() == 0) return tl::unexpected(Absence::no_replica);
        return tl::unexpected(fleet_.healthy_count() == 0 ? Absence::none_healthy : Absence::all_drained);
    }
    Request counted = request;
    counted.size = std::clamp<std::uint64_t>(request.size, 1, kLargestSize);
    const Slot slot = policy_->pick(fleet_, counted);
    const Ticket ticket = fleet_.start(slot, counted.size);
    policy_->load_changed(fleet_, slot);
    return ticket;
}

bool Balancer::finish(const Ticket& ticket) {
    if (!fleet_.finish(ticket)) return false;
    policy_->load_changed(fleet_, ticket.slot);
    return true;
}

std::string_view text_of(Absence absence) {
    switch (absence) {
        case Absence::no_replica: return "no replica has joined";
        case Absence::none_healthy: return "no replica is healthy";
        case Absence::all_drained: return "every healthy replica has weight 0";
    }
    return "nobody";
}

}  // namespace sy::balance
