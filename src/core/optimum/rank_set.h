// RankSet: whole numbers below some limit, of which the smallest is found at once. A bit for each, and a bit for
// each 64.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sy::optimum {

class RankSet {
public:
    /// Empties it. Ranks are below `limit`, which is at most 2³⁰.
    void reset(std::size_t limit) {
        depth_ = 0;
        do {
            limit = (limit + kBits - 1) / kBits;
            levels_[depth_++].assign(limit, 0);
        } while (limit > 1);
    }
    bool empty() const { return levels_[depth_ - 1][0] == 0; }

    void insert(std::size_t rank) {
        for (std::size_t level = 0; level < depth_; ++level, rank /= kBits)
            levels_[level][rank / kBits] |= std::uint64_t{1} << rank % kBits;
    }
    void erase(std::size_t rank) {
        for (std::size_t level = 0; level < depth_; ++level, rank /= kBits) {
            levels_[level][rank / kBits] &= ~(std::uint64_t{1} << rank % kBits);
            if (levels_[level][rank / kBits] != 0) return;
        }
    }
    /// It must not be empty.
    std::size_t smallest() const {
        std::size_t at = 0;
        for (std::size_t level = depth_; level-- > 0;)
            at = at * kBits + static_cast<std::size_t>(std::countr_zero(levels_[level][at]));
        return at;
    }

private:
    static constexpr std::size_t kBits = 64;

    std::array<std::vector<std::uint64_t>, 5> levels_;
    std::size_t depth_ = 0;
};

}  // namespace sy::optimum
