// Auction: tasks bid for GPUs, the bids worth most together win, and each winner pays what it costs the others (S6).
//
// Each party bids for all the GPUs it wants or none (single-minded). Promises, exactly, in whole money: no other choice
// of winners is worth more; bidding the true worth is always best (VCG); no winner pays more than its bid, nobody pays
// less than nothing, losers pay nothing. Not fair: who bids little starves. GPUs only; other resources are refused.
#pragma once

#include "core/allocate/policy.h"

namespace sy::allocate {

class Auction final : public Policy {
public:
    static constexpr std::size_t kMostBidders = 1'000;
    static constexpr std::int64_t kMostGpus = 4'096;

private:
    Result<Allotment> divide(const Situation& situation) const override;
};

}  // namespace sy::allocate
