// Cover: whether some nodes can hold a whole model between them, time aside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/pipeline/placement.h"

namespace sy::pipeline {

inline constexpr std::size_t kCoverIsExact = 10;

/// A pipeline over some of the nodes, with no eye on its speed. With more than kCoverIsExact nodes it may miss one
/// where layers are unequal and memory is tight.
std::optional<Pipeline> cover(const Costs& costs, const std::vector<NodeIndex>& nodes);

/// What each node of a mesh could hold, looked up once.
class Holding {
public:
    /// In layers. Less at the ends, where the embedding or the head lies beside them.
    struct Room {
        Layer middle = 0;
        Layer first = 0;
        Layer last = 0;
        bool alone = false;  ///< Holds everything.

        friend auto operator<=>(const Room&, const Room&) = default;
    };

    explicit Holding(const Costs& costs);

    /// All layers weigh the same, so that a count of them says all.
    bool equal_layers() const { return equal_; }
    /// With unequal layers: of the mean weight.
    const Room& room(NodeIndex node) const { return rooms_[node]; }
    /// As cover() finds, but at once where layers are equal.
    bool covers(const std::vector<NodeIndex>& nodes) const;

private:
    Room measure(NodeIndex node) const;
    bool counts_cover(const std::vector<NodeIndex>& nodes) const;

    const Costs* costs_;
    bool equal_ = true;
    std::vector<Room> rooms_;
};

}  // namespace sy::pipeline
