// SortedLine: a sorted set that also counts: exact positions, the first, the last, anything in between.
//
// Problem: a million waiting tasks; take the first, add at the end, put a retried task back at its old place, remove a
// cancelled one from the middle, and tell anybody's exact position, each in about a microsecond.
// Choice: chunks of at most 512 entries in one table with the last entry and the count of each chunk in columns of
// their own. Finding the chunk is a binary search over one packed column, a position is the sum of another; both run at
// the speed of the cache where a balanced tree would miss it at every level. An entry costs its own bytes, no node, no
// pointer.
// Cost with n entries: search O(log n), change O(512 + n/512), position O(n/512) with sixteen counts to a cache line;
// adding at the end and taking the first are O(1) but for one in 512. bench/ measures it, waiting_line_test.cc holds
// the twin.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace sy::queue {

/// `Entry` is small, cheap to copy and totally ordered.
template <class Entry>
class SortedLine {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// False where that very entry is there already.
    bool insert(const Entry& entry);
    /// False where it was not there.
    bool erase(const Entry& entry);

    /// The first in line; the line must not be empty.
    const Entry& front() const {
        SY_CHECK(size_ > 0, "the line is empty");
        return chunks_.front().entries[chunks_.front().head];
    }
    void pop_front() {
        SY_CHECK(size_ > 0, "the line is empty");
        ++chunks_.front().head;
        --size_;
        refresh(0);
    }

    /// How many stand before this entry, which need not be in the line.
    std::size_t position(const Entry& entry) const;
    /// The one with this many before it.
    std::optional<Entry> at(std::size_t position) const;
    /// The one with this many behind it; there must be one.
    const Entry& from_back(std::size_t behind) const {
        std::size_t index = chunks_.size();
        while (index > 0 && behind >= chunks_[index - 1].size()) behind -= chunks_[--index].size();
        SY_CHECK(index > 0, "the line is shorter than that");
        const std::vector<Entry>& entries = chunks_[index - 1].entries;
        return entries[entries.size() - 1 - behind];
    }

    /// Where a walk from the first on has got to. Good until the line changes.
    struct Spot {
        std::size_t chunk = 0;
        std::size_t index = 0;
    };
    /// Of the first that comes after this entry, which need not be in the line.
    Spot spot_after(const Entry& entry) const;
    /// The entry at a spot; nothing at the end. Going on is ++spot.index.
    const Entry* look(Spot& spot) const {
        while (spot.chunk < chunks_.size() && spot.index >= chunks_[spot.chunk].size()) spot = {spot.chunk + 1, 0};
        if (spot.chunk == chunks_.size()) return nullptr;
        return &chunks_[spot.chunk].entries[chunks_[spot.chunk].head + spot.index];
    }

private:
    static constexpr std::size_t kLargestChunk = 512;

    /// A run of entries. Those before `head` have left: taking the first costs nothing.
    struct Chunk {
        std::size_t head = 0;
        std::vector<Entry> entries;

        std::size_t size() const { return entries.size() - head; }
    };

    static constexpr auto offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

    std::size_t chunk_for(const Entry& entry) const {
        return static_cast<std::size_t>(std::lower_bound(last_.begin(), last_.end(), entry) - last_.begin());
    }
    std::size_t sum_of_first(std::size_t n) const;
    void insert_chunk(std::size_t index, Chunk chunk);
    void refresh(std::size_t index);
    void split(std::size_t index);

    // Three columns of one table: the first two are what searching and counting read, packed for the cache.
    std::vector<Entry> last_;
    std::vector<std::uint32_t> count_;
    std::vector<Chunk> chunks_;
    std::size_t size_ = 0;
};

template <class Entry>
bool SortedLine<Entry>::insert(const Entry& entry) {
    std::size_t index = chunk_for(entry);
    if (index == chunks_.size()) {  // behind everybody
        if (index == 0 || chunks_.back().entries.size() >= kLargestChunk) {
            insert_chunk(index, Chunk{});
            if (index > 0) chunks_.back().entries.reserve(kLargestChunk);
        } else {
            --index;
        }
    }
    Chunk& chunk = chunks_[index];
    const auto first = chunk.entries.begin() + offset(chunk.head);
    const auto spot = std::lower_bound(first, chunk.entries.end(), entry);
    if (spot != chunk.entries.end() && *spot == entry) return false;
    if (spot == first && chunk.head > 0) {
        chunk.entries[--chunk.head] = entry;
    } else {
        chunk.entries.insert(spot, entry);
    }
    ++size_;
    refresh(index);
    if (chunk.entries.size() > kLargestChunk) split(index);
    return true;
}

template <class Entry>
bool SortedLine<Entry>::erase(const Entry& entry) {
    const std::size_t index = chunk_for(entry);
    if (index == chunks_.size()) return false;
    Chunk& chunk = chunks_[index];
    const auto first = chunk.entries.begin() + offset(chunk.head);
    const auto spot = std::lower_bound(first, chunk.entries.end(), entry);
    if (spot == chunk.entries.end() || *spot != entry) return false;
    if (spot == first) {
        ++chunk.head;
    } else {
        chunk.entries.erase(spot);
    }
    --size_;
    refresh(index);
    return true;
}

template <class Entry>
std::size_t SortedLine<Entry>::position(const Entry& entry) const {
    const std::size_t index = chunk_for(entry);
    const std::size_t before = sum_of_first(index);
    if (index == chunks_.size()) return before;
    const Chunk& chunk = chunks_[index];
    const auto first = chunk.entries.begin() + offset(chunk.head);
    return before + static_cast<std::size_t>(std::lower_bound(first, chunk.entries.end(), entry) - first);
}

template <class Entry>
typename SortedLine<Entry>::Spot SortedLine<Entry>::spot_after(const Entry& entry) const {
    const std::size_t index = chunk_for(entry);
    if (index == chunks_.size()) return {index, 0};
    const Chunk& chunk = chunks_[index];
    const auto first = chunk.entries.begin() + offset(chunk.head);
    return {index, static_cast<std::size_t>(std::upper_bound(first, chunk.entries.end(), entry) - first)};
}

template <class Entry>
std::optional<Entry> SortedLine<Entry>::at(std::size_t position) const {
    for (const Chunk& chunk : chunks_) {
        if (position < chunk.size()) return chunk.entries[chunk.head + position];
        position -= chunk.size();
    }
    return std::nullopt;
}

/// Four sums side by side: the processor adds them at once, where one long chain would wait for each addition.
template <class Entry>
std::size_t SortedLine<Entry>::sum_of_first(std::size_t n) const {
    std::array<std::uint64_t, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += count_[i + lane];
    for (; i < n; ++i) sums[0] += count_[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

template <class Entry>
void SortedLine<Entry>::insert_chunk(std::size_t index, Chunk chunk) {
    last_.insert(last_.begin() + offset(index), Entry{});
    count_.insert(count_.begin() + offset(index), 0);
    chunks_.insert(chunks_.begin() + offset(index), std::move(chunk));
}

template <class Entry>
void SortedLine<Entry>::refresh(std::size_t index) {
    const Chunk& chunk = chunks_[index];
    if (chunk.size() > 0) {
        last_[index] = chunk.entries.back();
        count_[index] = static_cast<std::uint32_t>(chunk.size());
        return;
    }
    last_.erase(last_.begin() + offset(index));
    count_.erase(count_.begin() + offset(index));
    chunks_.erase(chunks_.begin() + offset(index));
}

template <class Entry>
void SortedLine<Entry>::split(std::size_t index) {
    Chunk& left = chunks_[index];
    left.entries.erase(left.entries.begin(), left.entries.begin() + offset(left.head));
    left.head = 0;
    if (left.entries.size() > kLargestChunk / 2) {
        const auto middle = left.entries.begin() + offset(left.entries.size() / 2);
        Chunk right{0, {middle, left.entries.end()}};
        left.entries.erase(middle, left.entries.end());
        insert_chunk(index + 1, std::move(right));
        refresh(index + 1);
    }
    refresh(index);
}

}  // namespace sy::queue
