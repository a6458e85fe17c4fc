// Problem: dominant-resource fairness over a tree of organisations. A party's dominant share is the largest part of any
// resource that it takes; all parties' dominant shares are to grow evenly by weight (Ghodsi et al. 2011, with the zero
// demands of Parkes, Procaccia and Shah 2015: when a resource is used up, those who do not need it go on).
//
// With groups there are three known ways (Bhattacharya et al. 2013, H-DRF):
//   - naive: take a group's dominant share from all its members hold. Members that need different resources then
//   starve:
//     one that has run into a used-up resource makes its group look rich;
//   - collapsed: multiply weights down the tree and forget it. Nobody starves, but a group whose members need different
//     resources gets less than its weight, since their shares count separately; and what a satisfied member leaves goes
//     to everybody instead of its siblings;
//   - H-DRF: take a group's share from its unblocked members alone, scaled to the least of them.
//
// Choice: the idea of H-DRF as speeds instead of states. At any moment only those who can still grow count. A group's
// direction is the sum of its growing members' directions by weight, its dominant speed the largest entry of that, and
// a group's speed is divided so that its members' dominant speeds are as their weights. Speeds change only when a party
// has all it wants or a resource is used up. Then:
//   - nobody starves: whoever can grow always grows;
//   - a group whose members need different resources counts them side by side, as H-DRF does;
//   - a group's speed does not depend on how many members it has, and what it already got is never forgotten. So
//     splitting a user into many does not change what its group gets. In H-DRF a member that is done is forgotten, and
//     the group is given its part again.
// Without groups all this is plain weighted DRF.
//
// Doubles are used here: the sums of speeds have no common denominator that fits a machine word. Whoever rounds to
// whole units (drf.cc) checks them against the capacity.
//
// Cost: each round ends a party or a resource: O((n + resources) * n * resources) for n parties and groups.
#include "core/allocate/progressive_filling.h"

#include <algorithm>
#include <limits>

namespace sy::allocate {

namespace {

using PerResource = std::array<double, kResources.size()>;

/// Rounding leaves crumbs of this size where nothing should be left.
constexpr double kCrumb = 1e-12;
constexpr double kForever = std::numeric_limits<double>::infinity();

double largest(const PerResource& amounts) {
    return *std::max_element(amounts.begin(), amounts.end());
}

void add(PerResource& sum, const PerResource& more, double times) {
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += more[r] * times;
}

/// In parts of the capacity; nothing where it wants some of what there is none of.
std::optional<PerResource> wanted_parts(const Party& party, const Amounts& capacity) {
    PerResource parts{};
    const Amounts want = party.want();
    for (const Resource resource : kResources) {
        if (want[resource] == 0) continue;
        if (capacity[resource] == 0) return std::nullopt;
        parts[index_of(resource)] = static_cast<double>(want[resource]) / static_cast<double>(capacity[resource]);
    }
    return parts;
}

class Filling {
public:
    explicit Filling(const Situation& situation)
        : situation_(situation),
          want_(situation.parties.size()),
          dominant_(situation.parties.size()),
          speed_(situation.parties.size()),
          inside_(situation.groups.size()),
          filled_(situation.parties.size()) {
        free_.fill(1);
        for (std::size_t i = 0; i < want_.size(); ++i) begin(i);
    }

    std::vector<Filled> run() {
        while (!growing_.empty()) {
            find_speeds();
            advance();
        }
        return filled_;
    }

private:
    void begin(std::size_t i) {
        const Party& party = situation_.parties[i];
        if (const auto parts = wanted_parts(party, situation_.capacity)) {
            want_[i] = *parts;
            dominant_[i] = largest(*parts);
            if (dominant_[i] > 0) growing_.push_back(i);
            if (dominant_[i] == 0) filled_[i].part = 1;
            return;
        }
        for (const Resource resource : kResources)
            if (party.want()[resource] > 0 && situation_.capacity[resource] == 0) filled_[i].scarce = resource;
    }

    /// Dominant speeds upward, then shared out downward. What a group's members add up to stands in inside_.
    void find_speeds() {
        const auto& groups = situation_.groups;
        std::fill(inside_.begin(), inside_.end(), PerResource{});
        for (const std::size_t i : growing_) {
            const Party& party = situation_.parties[i];
            if (party.group) add(inside_[*party.group], want_[i], static_cast<double>(party.weight) / dominant_[i]);
        }
        for (std::size_t g = groups.size(); g-- > 0;)
            if (groups[g].parent && largest(inside_[g]) > 0)
                add(inside_[*groups[g].parent], inside_[g],
                    static_cast<double>(groups[g].weight) / largest(inside_[g]));
        std::vector<double> pace(groups.size());  // of a member with weight 1
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const double outer = groups[g].parent ? pace[*groups[g].parent] : 1.0;
            if (largest(inside_[g]) > 0) pace[g] = outer * static_cast<double>(groups[g].weight) / largest(inside_[g]);
        }
        for (const std::size_t i : growing_) {
            const Party& party = situation_.parties[i];
            const double outer = party.group ? pace[*party.group] : 1.0;
            speed_[i] = outer * static_cast<double>(party.weight) / dominant_[i];
        }
    }

    /// To the next moment at which somebody is done or something is used up.
    void advance() {
        PerResource use{};
        double time = kForever;
        for (const std::size_t i : growing_) {
            add(use, want_[i], speed_[i]);
            time = std::min(time, (1 - filled_[i].part) / speed_[i]);
        }
        std::optional<std::size_t> used_up;
        for (std::size_t r = 0; r < use.size(); ++r) {
            if (use[r] <= 0 || free_[r] / use[r] > time) continue;
            time = free_[r] / use[r];
            used_up = r;
        }
        for (const std::size_t i : growing_) filled_[i].part += speed_[i] * time;
        for (std::size_t r = 0; r < use.size(); ++r) free_[r] -= use[r] * time;
        if (used_up) free_[*used_up] = 0;
        std::erase_if(growing_, [&](std::size_t i) { return ends(i); });
    }

    bool ends(std::size_t i) {
        if (filled_[i].part >= 1 - kCrumb) {
            filled_[i].part = 1;
            return true;
        }
        for (const Resource resource : kResources)
            if (want_[i][index_of(resource)] > 0 && free_[index_of(resource)] <= kCrumb) {
                filled_[i].scarce = resource;
                return true;
            }
        return false;
    }

    const Situation& situation_;
    std::vector<PerResource> want_;
    std::vector<double> dominant_;
    std::vector<double> speed_;  ///< Part of its want in a unit of time.
    std::vector<PerResource> inside_;
    std::vector<Filled> filled_;
    std::vector<std::size_t> growing_;
    PerResource free_{};
};

}  // namespace

std::vector<Filled> fill_progressively(const Situation& situation) {
    return Filling(situation).run();
}

std::vector<double> dominant_shares(const Situation& situation) {
    std::vector<double> shares;
    for (const Party& party : situation.parties) {
        const auto parts = wanted_parts(party, situation.capacity);
        shares.push_back(parts ? largest(*parts) : 0);
    }
    return shares;
}

}  // namespace sy::allocate
