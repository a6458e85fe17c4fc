// Problem: a share that equals the need changes with every task that comes or goes, and each change costs: models are
// unloaded, workers move. A share that never changes is a partition.
//
// Choice: a band. A need above the share makes it grow, a need below `shrink_below` of it makes it shrink, both times
// to the need plus `margin`; anything between leaves it alone. By default (25 and 60) a need that settled the share may
// then rise by a quarter or fall by a quarter before the share moves again. find_fault refuses bands that would let a
// share move right after it was settled.
//
// Room is given in two rounds, each by max-min over its minima: first what is needed, then what margins and bands
// keep beyond the need. So nobody lacks what another only keeps in reserve. The headroom is left out of both; it is for
// peaks between two calls (`lend`). When minima need it, it gives way: a guarantee is stronger than a reserve.
//
// Cost: that of water filling, twice for each resource.
#include "core/allocate/elastic.h"

#include <algorithm>
#include <numeric>

#include "core/allocate/guarantees.h"
#include "core/allocate/water_filling.h"

namespace sy::allocate {

namespace {

std::int64_t percent_of(std::int64_t amount, std::int64_t percent) {
    return (amount * percent + 99) / 100;
}

class OneResource {
public:
    OneResource(const Situation& situation, Resource resource)
        : situation_(situation),
          resource_(resource),
          capacity_(situation.capacity[resource]),
          headroom_(headroom_of(situation)[resource]) {
        std::int64_t minima = 0;
        for (const Party& party : situation.parties) minima += party.minimum[resource];
        room_ = std::max(capacity_ - headroom_, minima);
    }

    void settle(Allotment& allotment) const {
        const auto& parties = situation_.parties;
        std::vector<Claim> claims;
        for (const Party& party : parties)
            claims.push_back({within(party, need(party)), party.weight, party.minimum[resource_]});
        auto shares = fill(room_, claims);
        for (std::size_t i = 0; i < parties.size(); ++i)
            claims[i] = {std::max(shares[i], within(parties[i], aim(parties[i]))), parties[i].weight, shares[i]};
        shares = fill(room_, claims);
        const std::int64_t total = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
        for (std::size_t i = 0; i < parties.size(); ++i) {
            Portion& portion = allotment.portions[i];
            portion.amounts[resource_] = shares[i];
            if (shares[i] >= need(parties[i]) || portion.scarce) continue;
            portion.ceiling = ceiling(parties[i], shares[i], total);
            portion.scarce = resource_;
        }
    }

private:
    std::int64_t need(const Party& party) const { return party.want()[resource_]; }
    std::int64_t within(const Party& party, std::int64_t share) const {
        return std::clamp(share, party.minimum[resource_], party.maximum[resource_]);
    }
    /// The share that the need calls for, were there room.
    std::int64_t aim(const Party& party) const {
        const Elasticity& elasticity = situation_.elasticity;
        const std::int64_t holds = party.holds[resource_];
        const bool must_grow = need(party) > holds;
        const bool may_shrink = need(party) * 100 < holds * elasticity.shrink_below;
        if (!must_grow && !may_shrink) return holds;
        return need(party) + percent_of(need(party), elasticity.margin);
    }
    Ceiling ceiling(const Party& party, std::int64_t share, std::int64_t total) const {
        if (share == party.maximum[resource_]) return Ceiling::maximum;
        if (share == capacity_) return Ceiling::capacity;
        return total < capacity_ ? Ceiling::headroom : Ceiling::share;
    }

    const Situation& situation_;
    Resource resource_;
    std::int64_t capacity_;
    std::int64_t headroom_;
    std::int64_t room_ = 0;  ///< For all shares together.
};

}  // namespace

Result<Allotment> Elastic::divide(const Situation& situation) const {
    if (auto broken = find_broken_guarantee(situation)) return tl::unexpected<Error>(*std::move(broken));
    Allotment allotment;
    allotment.portions.resize(situation.parties.size());
    for (const Resource resource : kResources) OneResource(situation, resource).settle(allotment);
    return allotment;
}

Amounts headroom_of(const Situation& situation) {
    Amounts headroom;
    for (const Resource resource : kResources)
        headroom[resource] = percent_of(situation.capacity[resource], situation.elasticity.headroom);
    return headroom;
}

Amounts lend(const Party& party, const Amounts& share, const Amounts& headroom_left) {
    Amounts loan = smaller_of(party.want(), party.maximum) - share;
    for (const Resource resource : kResources)
        loan[resource] =
            std::clamp(loan[resource], std::int64_t{0}, std::max<std::int64_t>(headroom_left[resource], 0));
    return loan;
}

}  // namespace sy::allocate
