// WaitingLine: the waiting tasks in order, with exact positions.
//
// A sorted set of places that also counts. It knows nothing of tasks but their rank and id, and never changes a rank:
// a task whose rank changes leaves and comes back.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "core/queue/order.h"

namespace sy::queue {

struct Place {
    Rank rank = 0;
    TaskId task;

    friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

class WaitingLine {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// False where that very place is taken already.
    bool insert(const Place& place);
    /// False where it was not there.
    bool erase(const Place& place);

    /// The first in line; the line must not be empty.
    const Place& front() const;
    void pop_front();

    /// How many stand before this place, which need not be in the line.
    std::size_t position(const Place& place) const;
    /// The task with this many before it.
    std::optional<Place> at(std::size_t position) const;

private:
    /// A run of places. Those before `head` have left: taking the first costs nothing.
    struct Chunk {
        std::size_t head = 0;
        std::vector<Place> places;

        std::size_t size() const { return places.size() - head; }
    };

    std::size_t chunk_for(const Place& place) const;
    void insert_chunk(std::size_t index, Chunk chunk);
    void refresh(std::size_t index);
    void split(std::size_t index);

    // Three columns of one table: the first two are what searching and counting read, packed for the cache.
    std::vector<Place> last_;
    std::vector<std::uint32_t> count_;
    std::vector<Chunk> chunks_;
    std::size_t size_ = 0;
};

}  // namespace sy::queue
