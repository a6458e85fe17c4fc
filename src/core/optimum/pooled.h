// Pooled machine: all GPUs as one machine that does one thing at a time, quickly, and may put it aside for another.
//
// Time here is work: the machine does one unit a unit of time. Loads come sorted by release and have a volume above
// zero. It never idles while there is work, so its busy periods are the same whatever goes first.
//
// What is put aside is a stack: a load is put aside only while it goes before all others, so those put aside earlier go
// behind it. What was never begun waits by a rank that never changes. So no heap is needed, only a set of ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/optimum/keyed.h"
#include "core/optimum/rank_set.h"

namespace sy::optimum {

struct Load {
    std::int64_t release = 0;
    std::int64_t volume = 0;
};

class PooledMachine {
public:
    /// Before either of the below: ranks by key, which is not negative, equal ones by number.
    template <class KeyOf>
    void rank(std::size_t count, KeyOf key_of) {
        by_rank_.resize(count);
        for (std::size_t i = 0; i < count; ++i) by_rank_[i] = {key_of(i), static_cast<std::uint32_t>(i)};
        sort_by_key(by_rank_, room_);
        rank_of_.resize(count);
        for (std::size_t place = 0; place < count; ++place)
            rank_of_[by_rank_[place].index] = static_cast<std::uint32_t>(place);
    }
    void rank_by_volume(std::span<const Load> loads) {
        rank(loads.size(), [&](std::size_t i) { return loads[i].volume; });
    }

    /// Always the load with the least left to do; ranked by volume. Calls `on_end(load, at)` in the order of ends.
    template <class OnEnd>
    void shortest_rest_first(std::span<const Load> loads, OnEnd on_end) {
        serve(
            loads, [](const Begun& begun) { return begun.rest; }, [&](std::size_t i) { return loads[i].volume; },
            [&](const Begun& ran, std::int64_t, std::int64_t to) {
                if (ran.rest == 0) on_end(std::size_t{ran.load}, to);
            });
    }

    /// Always the load with the smallest rank. Calls `on_run(load, from, to)` for every stretch.
    template <class OnRun>
    void smallest_rank_first(std::span<const Load> loads, OnRun on_run) {
        serve(
            loads, [&](const Begun& begun) { return rank_of_[begun.load]; }, [&](std::size_t i) { return rank_of_[i]; },
            [&](const Begun& ran, std::int64_t from, std::int64_t to) { on_run(std::size_t{ran.load}, from, to); });
    }

private:
    struct Begun {
        std::int64_t rest = 0;
        std::uint32_t load = 0;
    };

    template <class KeyNow, class KeyAtFirst, class OnRun>
    void serve(std::span<const Load> loads, KeyNow key_now, KeyAtFirst key_at_first, OnRun on_run) {
        waiting_.reset(loads.size());
        put_aside_.clear();
        std::int64_t now = 0;
        for (std::size_t next = 0; next < loads.size();) {
            now = std::max(now, loads[next].release);
            Begun hand{loads[next].volume, static_cast<std::uint32_t>(next)};
            ++next;
            std::int64_t since = now;
            for (bool is_busy = true; is_busy;) {
                const bool is_disturbed = next < loads.size() && loads[next].release - now < hand.rest;
                const std::int64_t until = is_disturbed ? loads[next].release : now + hand.rest;
                hand.rest -= until - now;
                now = until;
                if (!is_disturbed) {
                    on_run(hand, since, now);
                    since = now;
                    is_busy = take_next(loads, key_now, key_at_first, hand);
                    continue;
                }
                if (key_at_first(next) < key_now(hand)) {
                    if (since < now) on_run(hand, since, now);
                    since = now;
                    put_aside_.push_back(hand);
                    hand = {loads[next].volume, static_cast<std::uint32_t>(next)};
                } else {
                    waiting_.insert(rank_of_[next]);
                }
                ++next;
            }
        }
    }

    /// False where nothing is left of what has come so far.
    template <class KeyNow, class KeyAtFirst>
    bool take_next(std::span<const Load> loads, KeyNow key_now, KeyAtFirst key_at_first, Begun& hand) {
        if (waiting_.empty() && put_aside_.empty()) return false;
        if (!waiting_.empty()) {
            const std::size_t first = waiting_.smallest();
            const std::uint32_t load = by_rank_[first].index;
            if (put_aside_.empty() || key_at_first(load) < key_now(put_aside_.back())) {
                hand = {loads[load].volume, load};
                waiting_.erase(first);
                return true;
            }
        }
        hand = put_aside_.back();
        put_aside_.pop_back();
        return true;
    }

    std::vector<Keyed> by_rank_;
    std::vector<Keyed> room_;
    std::vector<std::uint32_t> rank_of_;
    RankSet waiting_;               ///< Ranks of those that came and were not begun.
    std::vector<Begun> put_aside_;  ///< The last goes before those below it.
};

}  // namespace sy::optimum
