// The waiting line as a list of sorted chunks.
//
// Problem: a million waiting tasks; take the first, add at the end, put a retried task back at its old place, remove a
// cancelled one from the middle, and tell anybody's exact position, each in about a microsecond.
// Choice: chunks of at most 512 places in one table with the last place and the count of each chunk in columns of their
// own. Finding the chunk is a binary search over one packed column, a position is the sum of another; both run at the
// speed of the cache where a balanced tree would miss it at every level. A place costs 16 bytes, no node, no pointer.
// Cost with n places: search O(log n), change O(512 + n/512), position O(n/512) with sixteen counts to a cache line;
// adding at the end and taking the first are O(1) but for one in 512. bench/ measures it, waiting_line_test.cc holds
// the twin.
#include "core/queue/waiting_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace sy::queue {

namespace {
constexpr std::size_t kLargestChunk = 512;

template <class Index>
std::ptrdiff_t offset(Index i) {
    return static_cast<std::ptrdiff_t>(i);
}

/// Four sums side by side: the processor adds them at once, where one long chain would wait for each addition.
std::size_t sum_of_first(const std::vector<std::uint32_t>& counts, std::size_t n) {
    std::array<std::uint64_t, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += counts[i + lane];
    for (; i < n; ++i) sums[0] += counts[i];
    return sums[0] + sums[1] + sums[2] + sums[3];
}
}  // namespace

std::size_t WaitingLine::chunk_for(const Place& place) const {
    return static_cast<std::size_t>(std::lower_bound(last_.begin(), last_.end(), place) - last_.begin());
}

bool WaitingLine::insert(const Place& place) {
    std::size_t index = chunk_for(place);
    if (index == chunks_.size()) {  // behind everybody
        if (index == 0 || chunks_.back().places.size() >= kLargestChunk) {
            insert_chunk(index, Chunk{});
            chunks_.back().places.reserve(kLargestChunk);
        } else {
            --index;
        }
    }
    Chunk& chunk = chunks_[index];
    const auto first = chunk.places.begin() + offset(chunk.head);
    const auto spot = std::lower_bound(first, chunk.places.end(), place);
    if (spot != chunk.places.end() && *spot == place) return false;
    if (spot == first && chunk.head > 0) {
        chunk.places[--chunk.head] = place;
    } else {
        chunk.places.insert(spot, place);
    }
    ++size_;
    refresh(index);
    if (chunk.places.size() > kLargestChunk) split(index);
    return true;
}

bool WaitingLine::erase(const Place& place) {
    const std::size_t index = chunk_for(place);
    if (index == chunks_.size()) return false;
    Chunk& chunk = chunks_[index];
    const auto first = chunk.places.begin() + offset(chunk.head);
    const auto spot = std::lower_bound(first, chunk.places.end(), place);
    if (spot == chunk.places.end() || *spot != place) return false;
    if (spot == first) {
        ++chunk.head;
    } else {
        chunk.places.erase(spot);
    }
    --size_;
    refresh(index);
    return true;
}

const Place& WaitingLine::front() const {
    SY_CHECK(size_ > 0, "the line is empty");
    return chunks_.front().places[chunks_.front().head];
}

void WaitingLine::pop_front() {
    SY_CHECK(size_ > 0, "the line is empty");
    ++chunks_.front().head;
    --size_;
    refresh(0);
}

std::size_t WaitingLine::position(const Place& place) const {
    const std::size_t index = chunk_for(place);
    const std::size_t before = sum_of_first(count_, index);
    if (index == chunks_.size()) return before;
    const Chunk& chunk = chunks_[index];
    const auto first = chunk.places.begin() + offset(chunk.head);
    return before + static_cast<std::size_t>(std::lower_bound(first, chunk.places.end(), place) - first);
}

std::optional<Place> WaitingLine::at(std::size_t position) const {
    for (const Chunk& chunk : chunks_) {
        if (position < chunk.size()) return chunk.places[chunk.head + position];
        position -= chunk.size();
    }
    return std::nullopt;
}

void WaitingLine::insert_chunk(std::size_t index, Chunk chunk) {
    last_.insert(last_.begin() + offset(index), Place{});
    count_.insert(count_.begin() + offset(index), 0);
    chunks_.insert(chunks_.begin() + offset(index), std::move(chunk));
}

void WaitingLine::refresh(std::size_t index) {
    const Chunk& chunk = chunks_[index];
    if (chunk.size() > 0) {
        last_[index] = chunk.places.back();
        count_[index] = static_cast<std::uint32_t>(chunk.size());
        return;
    }
    last_.erase(last_.begin() + offset(index));
    count_.erase(count_.begin() + offset(index));
    chunks_.erase(chunks_.begin() + offset(index));
}

void WaitingLine::split(std::size_t index) {
    Chunk& left = chunks_[index];
    left.places.erase(left.places.begin(), left.places.begin() + offset(left.head));
    left.head = 0;
    if (left.places.size() > kLargestChunk / 2) {
        const auto middle = left.places.begin() + offset(left.places.size() / 2);
        Chunk right{0, {middle, left.places.end()}};
        left.places.erase(middle, left.places.end());
        insert_chunk(index + 1, std::move(right));
        refresh(index + 1);
    }
    refresh(index);
}

}  // namespace sy::queue
