#include "core/balance/prefix_memory.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "core/balance/mix.h"

namespace sy::balance {

PrefixMemory::PrefixMemory(std::size_t most_blocks) : sets_(most_blocks / kWays) {
    SY_CHECK(std::has_single_bit(most_blocks) && most_blocks >= kWays, "{} blocks are no power of two from 8 on",
             most_blocks);
}

std::uint32_t PrefixMemory::set_of(std::uint64_t block) const {
    return static_cast<std::uint32_t>(mix(block) & (sets_.size() - 1));
}

std::optional<PrefixMemory::Spot> PrefixMemory::find(std::uint64_t block) const {
    const std::uint32_t index = set_of(block);
    const Set& set = sets_[index];
    for (std::uint32_t way = 0; way < kWays; ++way)
        if (set.blocks[way] == block && set.used[way] > 0) return Spot{index, way};
    return std::nullopt;
}

void PrefixMemory::touch(Spot spot, Holder holder) {
    Set& set = sets_[spot.set];
    set.used[spot.way] = ++touches_;
    Holders& holders = set.holders[spot.way];
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
