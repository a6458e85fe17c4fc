// FreeSet: which of many numbered things are free, one bit each.
//
// Finding the next free one reads 64 at a time; a cluster of 1,000 GPUs is sixteen words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sy::cluster {

class FreeSet {
public:
    std::size_t count() const { return count_; }
    bool contains(std::size_t i) const { return i / 64 < words_.size() && ((words_[i / 64] >> (i % 64)) & 1U) != 0; }

    void set(std::size_t i, bool free) {
        if (i / 64 >= words_.size()) words_.resize(i / 64 + 1, 0);
        if (contains(i) == free) return;
        words_[i / 64] ^= std::uint64_t{1} << (i % 64);
        count_ = free ? count_ + 1 : count_ - 1;
    }

    /// Free is what both have free.
    void keep_common(const FreeSet& other) {
        count_ = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] &= i < other.words_.size() ? other.words_[i] : 0;
            count_ += static_cast<std::size_t>(std::popcount(words_[i]));
        }
    }

    /// The smallest free one in [from, end), or `end`.
    std::size_t next(std::size_t from, std::size_t end) const {
        for (std::size_t word = from / 64; word < words_.size() && word * 64 < end; ++word) {
            std::uint64_t bits = words_[word];
            if (word == from / 64) bits &= ~std::uint64_t{0} << (from % 64);
            if (bits == 0) continue;
            const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            return found < end ? found : end;
        }
        return end;
    }

private:
    std::vector<std::uint64_t> words_;
    std::size_t count_ = 0;
};

}  // namespace sy::cluster
