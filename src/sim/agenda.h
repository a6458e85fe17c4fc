// Agenda: what will happen, and when. The heart of every simulation.
//
// A heap of items by instant; equal instants keep the order in which they were entered, so a run repeats. Virtual time
// is the instant of the item last taken: it never waits and never runs backwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"

namespace sy::sim {

template <class Item>
class Agenda {
public:
    Instant now() const { return now_; }
    bool empty() const { return heap_.empty(); }
    std::size_t size() const { return heap_.size(); }
    /// When the next item is due; the agenda must not be empty.
    Instant next() const {
        SY_CHECK(!heap_.empty(), "nothing is on the agenda");
        return heap_.front().at;
    }

    /// An instant that has passed counts as now.
    void enter(Instant at, Item item) {
        heap_.push_back({std::max(at, now_), ++entered_, std::move(item)});
        std::push_heap(heap_.begin(), heap_.end(), Later{});
    }

    /// Takes the next item and moves time to it.
    Item take() {
        SY_CHECK(!heap_.empty(), "nothing is on the agenda");
        std::pop_heap(heap_.begin(), heap_.end(), Later{});
        Line line = std::move(heap_.back());
        heap_.pop_back();
        now_ = line.at;
        return std::move(line.item);
    }

private:
    struct Line {
        Instant at;
        std::uint64_t number = 0;
        Item item;
    };
    struct Later {
        bool operator()(const Line& a, const Line& b) const { return a.at != b.at ? a.at > b.at : a.number > b.number; }
    };

    std::vector<Line> heap_;
    std::uint64_t entered_ = 0;
    Instant now_ = kStart;
};

}  // namespace sy::sim
