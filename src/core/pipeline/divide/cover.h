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
    /// In layers where all weigh the same, in kParts of the mean layer otherwise. Less at the ends, where the embedding
    /// or the head lies beside them.
    struct Room {
        std::uint32_t middle = 0;
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        bool alone = false;  ///< Holds everything.

        friend auto operator<=>(const Room&, const Room&) = default;
    };

    static constexpr std::uint32_t kParts = 64;

    explicit Holding(const Costs& costs);

    /// All layers weigh the same, so that a count of them says all.
    bool equal_layers() const { return equal_; }
    /// What the whole model is in the same measure.
    std::uint32_t model() const { return costs_->layers * parts(); }
    const Room& room(NodeIndex node) const { return rooms_[node]; }
    /// As cover() finds, but at once where layers are equal.
    bool covers(const std::vector<NodeIndex>& nodes) const;

private:
    std::uint32_t parts() const { return equal_ ? 1 : kParts; }
    Room measure(NodeIndex node) const;
    bool counts_cover(const std::vector<NodeIndex>& nodes) const;

    const Costs* costs_;
    bool equal_ = true;
    std::vector<Room> rooms_;
};

}  // namespace sy::pipeline
