#include "core/allocate/max_min.h"

#include "core/allocate/water_filling.h"

namespace sy::allocate {

Result<Allotment> MaxMin::divide(const Situation& situation) const {
    Allotment allotment;
    allotment.portions.resize(situation.parties.size());
    for (const Resource resource : kResources) {
        std::vector<Claim> claims;
        for (const Party& party : situation.parties) claims.push_back({party.want()[resource], party.weight});
        const auto given = fill(situation.capacity[resource], claims);
        for (std::size_t i = 0; i < given.size(); ++i) {
            Portion& portion = allotment.portions[i];
            portion.amounts[resource] = given[i];
            if (given[i] == claims[i].want || portion.scarce) continue;
            portion.ceiling = given[i] == situation.capacity[resource] ? Ceiling::capacity : Ceiling::share;
            portion.scarce = resource;
        }
    }
    return allotment;
}

}  // namespace sy::allocate
