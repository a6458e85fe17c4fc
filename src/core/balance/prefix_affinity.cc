// Problem: keep prompts with a common beginning together, without sending everybody to the same replica.
//
// Source: the cache-aware routers of LLM engines (SGLang's router; Srivatsa et al., "Preble", 2024): a memory of what
// went where, longest match first, and load as a brake. As a brake we take the bound of consistent hashing with bounded
// loads (Mirrokni et al., 2018), since it is a promise and not a threshold to tune.
//
// Choice: of the replicas that served the deepest known block, the least loaded that has room; if none has, those of
// the block before, and so on as long as at least `least_match` of the prompt is matched. A shorter match is not worth
// following: with a system prompt that everybody shares, all sessions would end up on the replica that had it first.
// Then the least loaded replica takes it; among equally loaded ones the one that was given the fewest new blocks for
// its weight, so idle replicas fill their caches alike. A prefix in great demand spreads by itself: whoever takes the
// overflow holds it from then on.
//
// Bound: least loaded by work / pull always has room (room.h), so every pick is within the bound.
// Cost: a lookup and an update for each block, at most kMostBlocks of them, and O(log n) for the load.
// Memory: PrefixMemory, fixed.
#include "core/balance/prefix_affinity.h"

#include <algorithm>

namespace sy::balance {

namespace {

PrefixMemory::Holder holder_of(const Replica& replica, Slot slot) {
    return {slot, static_cast<std::uint32_t>(replica.stay)};
}

}  // namespace

Standing PrefixAffinity::standing_of(const Replica& replica, Slot slot) const {
    return {replica.work, given_[slot].blocks, replica.pull(), replica.id};
}

Slot PrefixAffinity::pick(const Fleet& fleet, const Request& request) {
    if (seen_ != fleet.version()) refresh(fleet);
    const auto blocks = request.prefix.first(std::min(request.prefix.size(), kMostBlocks));
    const Known known = look_up(blocks);
    const Choice choice = longest_match(fleet, request, known).value_or(Choice{tree_.best(), 0});
    given_[choice.slot].blocks += blocks.size() - choice.matched;
    remember(blocks, known, holder_of(fleet.at(choice.slot), choice.slot));
    return choice.slot;
}

void PrefixAffinity::load_changed(const Fleet& fleet, Slot slot) {
    if (seen_ == fleet.version()) tree_.set(slot, standing_of(fleet.at(slot), slot));
}

void PrefixAffinity::refresh(const Fleet& fleet) {
    seen_ = fleet.version();
    given_.resize(fleet.slot_end());
    std::uint64_t fewest = UINT64_MAX;
    for (const Slot slot : fleet.available())
        if (given_[slot].stay == fleet.at(slot).stay) fewest = std::min(fewest, given_[slot].blocks);
    if (fewest == UINT64_MAX) fewest = 0;
    tree_.reset(fleet.slot_end());
    for (const Slot slot : fleet.available()) {
        // A newcomer starts level with the others: it should not get every new prompt until it has caught up with
        // years.
        if (given_[slot].stay != fleet.at(slot).stay) given_[slot] = {fleet.at(slot).stay, fewest};
        tree_.put(slot, standing_of(fleet.at(slot), slot));
    }
    tree_.build();
}

PrefixAffinity::Known PrefixAffinity::look_up(std::span<const std::uint64_t> blocks) const {
    Known known;
    for (const std::uint64_t block : blocks) memory_.expect(block);
    for (const std::uint64_t block : blocks) {
        const auto spot = memory_.find(block);
        if (!spot) break;
        known.spots[known.length++] = *spot;
    }
    return known;
}

std::optional<PrefixAffinity::Choice> PrefixAffinity::longest_match(const Fleet& fleet, const Request& request,
                                                                    const Known& known) const {
    const Room room(fleet.total_work() + request.size, fleet.total_pull(), tuning_.epsilon);
    const std::size_t asked = std::min(request.prefix.size(), kMostBlocks);
    const std::size_t least = std::max<std::size_t>(1, (asked * tuning_.least_match + 999) / 1'000);
    for (std::size_t length = known.length; length >= least; --length)
        if (const auto slot = best_holder(fleet, known.spots[length - 1], room)) return Choice{*slot, length};
    return std::nullopt;
}

std::optional<Slot> PrefixAffinity::best_holder(const Fleet& fleet, PrefixMemory::Spot spot, const Room& room) const {
    std::optional<Slot> best;
    for (const auto& holder : memory_.holders(spot)) {
        if (holder.stay == 0 || holder.slot >= fleet.slot_end()) continue;
        const Replica& replica = fleet.at(holder.slot);
        if (!replica.available() || holder != holder_of(replica, holder.slot)) continue;
        if (!room.has(replica.work, replica.pull())) continue;
        if (!best || tree_.at(holder.slot).beats(tree_.at(*best))) best = holder.slot;
    }
    return best;
}

void PrefixAffinity::remember(std::span<const std::uint64_t> blocks, const Known& known, PrefixMemory::Holder holder) {
    // The known ones first: an insert may push one of them out, and its spot would be another block's.
    for (std::size_t i = 0; i < known.length; ++i) memory_.touch(known.spots[i], holder);
    for (std::size_t i = known.length; i < blocks.size(); ++i)
        if (const auto spot = memory_.find(blocks[i]))
            memory_.touch(*spot, holder);
        else
            memory_.insert(blocks[i], holder);
}

}  // namespace sy::balance
