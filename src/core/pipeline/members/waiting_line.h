// Waiting line: requests that wait for a way, the more urgent first, each no longer than its patience.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/task.h"

namespace sy::pipeline {

class WaitingLine {
public:
    struct Place {
        Level level = Level::normal;
        std::uint64_t turn = 0;  ///< When the request was first asked for: who lost its way stands before newcomers.
        RequestId request;
        Instant until;

        friend bool operator==(const Place&, const Place&) = default;
    };

    void add(const Place& place) {
        by_turn_.insert(place);
        by_end_.insert(place);
    }
    void remove(const Place& place) {
        by_turn_.erase(place);
        by_end_.erase(place);
    }
    std::size_t size() const { return by_turn_.size(); }
    bool empty() const { return by_turn_.empty(); }
    const Place& first() const { return *by_turn_.begin(); }
    /// Counted from 1; it must be there. O(size).
    std::size_t place_of(const Place& place) const {
        return static_cast<std::size_t>(std::distance(by_turn_.begin(), by_turn_.find(place))) + 1;
    }
    /// Whose patience ends first.
    const Place& first_to_go() const { return *by_end_.begin(); }

private:
    struct ByTurn {
        bool operator()(const Place& a, const Place& b) const {
            return std::tie(a.level, a.turn, a.request) < std::tie(b.level, b.turn, b.request);
        }
    };
    struct ByEnd {
        bool operator()(const Place& a, const Place& b) const {
            return std::tie(a.until, a.turn, a.request) < std::tie(b.until, b.turn, b.request);
        }
    };
    std::set<Place, ByTurn> by_turn_;
    std::set<Place, ByEnd> by_end_;
};

}  // namespace sy::pipeline
