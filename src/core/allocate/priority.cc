// The minima of all lower levels are set aside before a level is filled, and a party's own minimum is the floor of its
// water filling: it counts towards its fair share instead of coming on top of it. A minimum that nobody wants now is
// not held back; elastic does that.
#include "core/allocate/priority.h"

#include <algorithm>

#include "core/allocate/guarantees.h"
#include "core/allocate/water_filling.h"

namespace sy::allocate {

namespace {

constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};

class OneResource {
public:
    OneResource(const Situation& situation, Resource resource)
        : situation_(situation), resource_(resource), left_(situation.capacity[resource]) {
        for (const Party& party : situation.parties) set_aside_ += guaranteed(party);
    }

    void serve(Level level, Allotment& allotment) {
        std::vector<std::size_t> members;
        std::vector<Claim> claims;
        for (std::size_t i = 0; i < situation_.parties.size(); ++i) {
            const Party& party = situation_.parties[i];
            if (party.level != level) continue;
            members.push_back(i);
            claims.push_back({party.want()[resource_], party.weight, guaranteed(party)});
            set_aside_ -= guaranteed(party);
        }
        const auto given = fill(left_ - set_aside_, claims);
        const Ceiling ceiling = left_ < situation_.capacity[resource_] ? Ceiling::level : Ceiling::share;
        for (std::size_t m = 0; m < members.size(); ++m) {
            Portion& portion = allotment.portions[members[m]];
            portion.amounts[resource_] = given[m];
            left_ -= given[m];
            if (given[m] == claims[m].want || portion.scarce) continue;
            portion.ceiling = given[m] == situation_.capacity[resource_] ? Ceiling::capacity : ceiling;
            portion.scarce = resource_;
        }
    }

private:
    std::int64_t guaranteed(const Party& party) const {
        return std::min(party.minimum[resource_], party.want()[resource_]);
    }

    const Situation& situation_;
    Resource resource_;
    std::int64_t left_;
    std::int64_t set_aside_ = 0;  ///< For the levels not served yet.
};

}  // namespace

Result<Allotment> Priority::divide(const Situation& situation) const {
    if (auto broken = find_broken_guarantee(situation)) return tl::unexpected<Error>(*std::move(broken));
    Allotment allotment;
    allotment.portions.resize(situation.parties.size());
    for (const Resource resource : kResources) {
        OneResource one(situation, resource);
        for (const Level level : kLevels) one.serve(level, allotment);
    }
    return allotment;
}

}  // namespace sy::allocate
