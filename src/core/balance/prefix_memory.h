// PrefixMemory: which replicas served which prefix block lately. Its memory is fixed when it is made.
//
// Blocks live in sets of eight by their hash; a new one takes the place of the least lately used of its set, and each
// remembers the last four replicas that served it. 48 bytes a block: the default of 65,536 blocks is 3 MB. It can only
// guess what a replica still holds, and a wrong guess costs one prefill.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/balance/replica.h"

namespace sy::balance {

class PrefixMemory {
public:
    /// One replica's stay; the low half of its number is enough to tell it from others in the same slot.
    struct Holder {
        Slot slot = 0;
        std::uint32_t stay = 0;  ///< 0: nobody.

        friend bool operator==(const Holder&, const Holder&) = default;
    };
    using Holders = std::array<Holder, 4>;
    /// Where a block lies until the next insert().
    struct Spot {
        std::uint32_t set = 0;
        std::uint32_t way = 0;
    };

    /// A power of two from 8 on.
    explicit PrefixMemory(std::size_t most_blocks);

    std::size_t most_blocks() const { return sets_.size() * kWays; }
    std::size_t size() const { return size_; }

    /// Has the processor fetch what find() will need: the blocks of a prompt lie far apart.
    void expect(std::uint64_t block) const;
    std::optional<Spot> find(std::uint64_t block) const;
    /// Latest first.
    const Holders& holders(Spot spot) const { return sets_[spot.set].holders[spot.way]; }
    /// Served once more, by this one.
    void touch(Spot spot, Holder holder);
    /// A block that find() does not know.
    void insert(std::uint64_t block, Holder holder);

private:
    static constexpr std::uint32_t kWays = 8;
    struct alignas(64) Set {
        std::array<std::uint64_t, kWays> blocks{};
        std::array<std::uint64_t, kWays> used{};  ///< When, counted in touches. 0: never, the place is free.
        std::array<Holders, kWays> holders{};
    };

    std::uint32_t set_of(std::uint64_t block) const;

    std::vector<Set> sets_;
    std::uint32_t set_mask_;
    std::size_t size_ = 0;
    std::uint64_t touches_ = 0;
};

}  // namespace sy::balance
