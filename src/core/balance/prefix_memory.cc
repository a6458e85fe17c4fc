#include "core/balance/prefix_memory.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace sy::balance {

PrefixMemory::PrefixMemory(std::size_t most_blocks)
    : sets_(most_blocks / kWays), set_mask_(static_cast<std::uint32_t>(most_blocks / kWays - 1)) {
    SY_CHECK(std::has_single_bit(most_blocks) && most_blocks >= kWays, "{} blocks are no power of two from 8 on",
             most_blocks);
}

std::uint32_t PrefixMemory::set_of(std::uint64_t block) const {
    // Blocks are hashes already; one multiplication is enough to forgive a caller whose are not.
    return static_cast<std::uint32_t>((block * 0x9e3779b97f4a7c15U) >> 32) & set_mask_;
}

void PrefixMemory::expect(std::uint64_t block) const {
    const Set& set = sets_[set_of(block)];
    __builtin_prefetch(&set.blocks);
    __builtin_prefetch(&set.used);
}

std::optional<PrefixMemory::Spot> PrefixMemory::find(std::uint64_t block) const {
    const std::uint32_t index = set_of(block);
    const Set& set = sets_[index];
    // All eight without a branch: at which of them a loop would stop cannot be foretold, and a wrong guess costs more.
    std::uint32_t matches = 0;
    for (std::uint32_t way = 0; way < kWays; ++way)
        matches |= static_cast<std::uint32_t>(set.blocks[way] == block && set.used[way] > 0) << way;
    if (matches == 0) return std::nullopt;
    return Spot{index, static_cast<std::uint32_t>(std::countr_zero(matches))};
}

void PrefixMemory::touch(Spot spot, Holder holder) {
    Set& set = sets_[spot.set];
    set.used[spot.way] = ++touches_;
    Holders& holders = set.holders[spot.way];
    if (holders.front() == holder) return;
    const auto found = std::find(holders.begin(), holders.end() - 1, holder);
    std::move_backward(holders.begin(), found, found + 1);
    holders.front() = holder;
}

void PrefixMemory::insert(std::uint64_t block, Holder holder) {
    const std::uint32_t index = set_of(block);
    Set& set = sets_[index];
    const auto oldest = std::min_element(set.used.begin(), set.used.end());
    const auto way = static_cast<std::uint32_t>(oldest - set.used.begin());
    if (*oldest == 0) ++size_;
    set.blocks[way] = block;
    set.holders[way] = Holders{};
    touch({index, way}, holder);
}

}  // namespace sy::balance
