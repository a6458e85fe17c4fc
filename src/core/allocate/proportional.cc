// Problem: how should a party split its budget over GPUs, memory and CPUs, when prices come from what all others do?
//
// Source: Kelly 1997 for one resource: share = bid / sum of bids. For several, the equilibrium of a Fisher market whose
// parties use resources in fixed proportions is the optimum of a concave programme (Eisenberg and Gale 1959): maximise
// the sum of budget * log(amount used). Wu and Zhang 2007 found that proportional response leads there for linear
// utilities: everybody spends on each resource in proportion to what it got out of it.
//
// Choice: the same response for fixed proportions. With prices p and wants d, a party spends on resource r the part
// p[r]d[r] / (p.d) of its budget: what that resource costs it; the new price is what was spent on r over its capacity.
// A party that can afford all it wants spends only p.d. This is a descent on the dual, capacity.p - sum of f(p.d) with
// f(y) = budget * log y from y = budget on and linear below: as f(exp z) is convex, Jensen's inequality for log gives a
// bound that touches at the current prices and whose minimum is the new ones. (Where nobody
// can afford all, it is Cover's 1984 algorithm for portfolios.) So the dual falls with every step, towards its least
// value.
//
// The prices are doubles: nothing else in this folder but drf is so. Whatever they are, resources are shared in
// proportion to what was spent on them, which cannot exceed the capacity, and the last step is in whole units.
//
// Cost: O(parties * resources) a step, at most kSteps. Accuracy: near a resource that is almost scarce convergence is
// slow (1/steps), and what the market leaves idle there is the error; the tests state what they allow.
#include "core/allocate/proportional.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sy::allocate {

namespace {

constexpr int kSteps = 2'000;
constexpr double kSettled = 1e-9;
/// A price only falls so far, so that it can be divided by.
constexpr double kLowestPrice = 1e-100;
/// Lost to rounding at most, far below one unit.
constexpr double kGrain = 1e-6;

using PerResource = std::array<double, kResources.size()>;

struct Buyer {
    std::size_t party = 0;
    double budget = 0;
    PerResource want{};  ///< In parts of the capacity.
};

double cost(const Buyer& buyer, const PerResource& prices) {
    double sum = 0;
    for (std::size_t r = 0; r < prices.size(); ++r) sum += prices[r] * buyer.want[r];
    return sum;
}

/// What part of its want a buyer pays for.
double bought(const Buyer& buyer, const PerResource& prices) {
    return std::min(1.0, buyer.budget / cost(buyer, prices));
}

/// By resource, in parts of the capacity.
PerResource demand(const std::vector<Buyer>& buyers, const PerResource& prices) {
    PerResource sum{};
    for (const Buyer& buyer : buyers) {
        const double part = bought(buyer, prices);
        for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += part * buyer.want[r];
    }
    return sum;
}

PerResource equilibrium(const std::vector<Buyer>& buyers) {
    double budgets = 0;
    for (const Buyer& buyer : buyers) budgets += buyer.budget;
    PerResource prices;
    prices.fill(budgets / static_cast<double>(kResources.size()));
    for (int step = 0; step < kSteps; ++step) {
        const PerResource asked = demand(buyers, prices);
        double change = 0;
        for (std::size_t r = 0; r < prices.size(); ++r) {
            const double before = prices[r];
            prices[r] = std::max(kLowestPrice, before * asked[r]);
            change = std::max(change, std::abs(prices[r] - before));
        }
        if (change <= kSettled * budgets) break;
    }
    return prices;
}

/// What part of what a buyer paid for is there, where prices have not settled: everything is shared by what was spent.
double served(const Buyer& buyer, const PerResource& asked) {
    double least = 1;
    for (std::size_t r = 0; r < asked.size(); ++r)
        if (buyer.want[r] > 0) least = std::min(least, 1 / std::max(1.0, asked[r]));
    return least;
}

/// What a buyer spends most on.
Resource dearest(const Buyer& buyer, const PerResource& prices) {
    std::size_t most = 0;
    for (std::size_t r = 1; r < prices.size(); ++r)
        if (prices[r] * buyer.want[r] > prices[most] * buyer.want[most]) most = r;
    return kResources[most];
}

/// Those who have money, want something, and want nothing that is not there.
std::vector<Buyer> buyers_of(const Situation& situation) {
    std::vector<Buyer> buyers;
    for (std::size_t i = 0; i < situation.parties.size(); ++i) {
        const Party& party = situation.parties[i];
        const Amounts want = party.want();
        if (party.bid == 0 || want == Amounts{} || !fits(smaller_of(want, each(1)), situation.capacity)) continue;
        Buyer& buyer = buyers.emplace_back(Buyer{i, static_cast<double>(party.bid), {}});
        for (const Resource resource : kResources)
            if (want[resource] > 0)
                buyer.want[index_of(resource)] =
                    static_cast<double>(want[resource]) / static_cast<double>(situation.capacity[resource]);
    }
    return buyers;
}

Portion portion_of(const Party& party, double part, const Amounts& left) {
    Portion portion;
    const Amounts want = party.want();
    for (const Resource resource : kResources) {
        const double amount = std::floor(static_cast<double>(want[resource]) * part + kGrain);
        portion.amounts[resource] = std::min({want[resource], left[resource], static_cast<std::int64_t>(amount)});
        if (portion.amounts[resource] < want[resource]) portion.ceiling = Ceiling::budget;
    }
    return portion;
}

/// For those who take no part: without money, or wanting what is not there.
Portion refused(const Party& party, const Amounts& capacity) {
    Portion portion;
    for (const Resource resource : kResources) {
        if (party.want()[resource] == 0 || portion.ceiling == Ceiling::capacity) continue;
        if (!portion.scarce) portion.scarce = resource;
        portion.ceiling = Ceiling::budget;
        if (capacity[resource] > 0) continue;
        portion.scarce = resource;
        portion.ceiling = Ceiling::capacity;
    }
    return portion;
}

}  // namespace

Result<Allotment> Proportional::divide(const Situation& situation) const {
    Allotment allotment;
    for (const Party& party : situation.parties) allotment.portions.push_back(refused(party, situation.capacity));
    const auto buyers = buyers_of(situation);
    if (buyers.empty()) return allotment;
    const PerResource prices = equilibrium(buyers);
    const PerResource asked = demand(buyers, prices);
    Amounts left = situation.capacity;
    for (const Buyer& buyer : buyers) {
        const double part = bought(buyer, prices) * served(buyer, asked);
        const double spent = std::floor(part * cost(buyer, prices) + kGrain);
        Portion& portion = allotment.portions[buyer.party];
        portion = portion_of(situation.parties[buyer.party], part, left);
        portion.payment = static_cast<std::int64_t>(std::min(buyer.budget, spent));
        if (portion.ceiling != Ceiling::none) portion.scarce = dearest(buyer, prices);
        left -= portion.amounts;
    }
    return allotment;
}

}  // namespace sy::allocate
