// Problem: choose winners worth as much as possible within the GPUs there are, and prices that make the truth the best
// bid.
//
// Source: Vickrey 1961, Clarke 1971, Groves 1973. A winner pays what the others would have been worth without it, less
// what they are worth with it. Truth is best only if the choice is exactly optimal: with a greedy choice these prices
// promise nothing. So the choice is exact, and beyond what can be exact the auction refuses.
//
// Choice: with all-or-nothing bids on interchangeable GPUs the choice is a knapsack, solved by dynamic programming over
// bidders and GPUs: best[i][g] is the most that the first i bidders are worth on g GPUs. A second table from the other
// end makes the optimum without bidder i a walk over the ways to split the GPUs between those before and after it,
// instead of a knapsack for each. Among equal choices the one with earlier bidders wins.
//
// Cost: O(bidders * GPUs) in time and memory: two tables of 8 bytes a cell, at the limits 66 MB.
#include "core/allocate/auction.h"

#include <algorithm>

#include <fmt/core.h>

namespace sy::allocate {

namespace {

struct Bid {
    std::int64_t gpus = 0;
    std::int64_t value = 0;
};

/// Row k: the most that the first k of these bids are worth, by number of GPUs.
class Worth {
public:
    Worth(const std::vector<Bid>& bids, std::int64_t gpus)
        : width_(static_cast<std::size_t>(gpus) + 1), best_((bids.size() + 1) * width_) {
        for (std::size_t k = 0; k < bids.size(); ++k)
            for (std::int64_t g = 0; g <= gpus; ++g) {
                const std::int64_t without = at(k, g);
                const bool fits = bids[k].gpus <= g;
                const std::int64_t with = fits ? at(k, g - bids[k].gpus) + bids[k].value : without;
                best_[(k + 1) * width_ + static_cast<std::size_t>(g)] = std::max(with, without);
            }
    }
    std::int64_t at(std::size_t bids, std::int64_t gpus) const {
        return best_[bids * width_ + static_cast<std::size_t>(gpus)];
    }

private:
    std::size_t width_;
    std::vector<std::int64_t> best_;
};

class Sale {
public:
    Sale(const std::vector<Bid>& bids, std::int64_t gpus)
        : bids_(bids), gpus_(gpus), before_(bids, gpus), behind_({bids.rbegin(), bids.rend()}, gpus) {}

    std::vector<bool> winners() const {
        std::vector<bool> wins(bids_.size());
        std::int64_t left = gpus_;
        for (std::size_t i = 0; i < bids_.size(); ++i) {
            const std::size_t rest = bids_.size() - i;
            if (bids_[i].gpus > left) continue;
            const std::int64_t with = bids_[i].value + behind_.at(rest - 1, left - bids_[i].gpus);
            wins[i] = with == behind_.at(rest, left);
            if (wins[i]) left -= bids_[i].gpus;
        }
        return wins;
    }
    std::int64_t payment(std::size_t winner) const {
        const std::size_t rest = bids_.size() - winner - 1;
        std::int64_t without = 0;
        for (std::int64_t g = 0; g <= gpus_; ++g)
            without = std::max(without, before_.at(winner, g) + behind_.at(rest, gpus_ - g));
        const std::int64_t others = before_.at(bids_.size(), gpus_) - bids_[winner].value;
        return without - others;
    }

private:
    const std::vector<Bid>& bids_;
    std::int64_t gpus_;
    Worth before_;  ///< Row k: the first k bids.
    Worth behind_;  ///< Row k: the last k bids.
};

std::optional<Error> find_limit(const Situation& situation) {
    if (situation.parties.size() > Auction::kMostBidders)
        return Error{
            Fault::invalid_input,
            fmt::format("{} bidders, the auction is exact up to {}", situation.parties.size(), Auction::kMostBidders),
            "use proportional"};
    if (situation.capacity.gpu > Auction::kMostGpus)
        return Error{Fault::invalid_input,
                     fmt::format("{} GPUs, the auction is exact up to {}", situation.capacity.gpu, Auction::kMostGpus),
                     "use proportional"};
    for (const Party& party : situation.parties)
        if (party.want() != Amounts{.gpu = party.want().gpu})
            return Error{Fault::invalid_input, party.name + ": the auction sells GPUs and nothing else",
                         "use proportional"};
    return std::nullopt;
}

}  // namespace

Result<Allotment> Auction::divide(const Situation& situation) const {
    if (auto limit = find_limit(situation)) return tl::unexpected<Error>(*std::move(limit));
    std::vector<Bid> bids;
    for (const Party& party : situation.parties) bids.push_back({party.want().gpu, party.bid});
    const Sale sale(bids, situation.capacity.gpu);
    const auto wins = sale.winners();
    Allotment allotment;
    for (std::size_t i = 0; i < bids.size(); ++i) {
        Portion& portion = allotment.portions.emplace_back();
        if (wins[i]) {
            portion.amounts.gpu = bids[i].gpus;
            portion.payment = sale.payment(i);
        } else {
            portion.ceiling = bids[i].gpus > situation.capacity.gpu ? Ceiling::capacity : Ceiling::price;
            portion.scarce = Resource::gpu;
        }
    }
    return allotment;
}

}  // namespace sy::allocate
