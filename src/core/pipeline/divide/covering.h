// Covering: as many groups as possible, each of which holds a whole model, out of as few nodes as possible.
//
// Plain counts: a node is so many layers, fewer where it stands first or last. Which nodes make good company is not its
// business (core/pipeline/divide/regroup.h).
#pragma once

#include <cstdint>
#include <vector>

namespace sy::pipeline {

/// A node as something that fills a group.
struct Filling {
    std::int64_t size = 0;        ///< In the middle.
    std::int64_t first_loss = 0;  ///< Less that where it stands first; kNoEnd where it cannot.
    std::int64_t last_loss = 0;
    bool alone = false;  ///< Fills a group by itself.

    static constexpr std::int64_t kNoEnd = std::int64_t{1} << 40;

    friend auto operator<=>(const Filling&, const Filling&) = default;
};

using Group = std::vector<std::uint32_t>;  ///< Places in the list of fillings.

struct Covering {
    std::vector<Group> groups;
    bool best = false;  ///< Proved that no other has more groups² / members.

    std::size_t members() const;
};

/// The one is better than the other: more groups² / members, and of equals more groups.
bool better(std::size_t groups, std::size_t members, std::size_t than_groups, std::size_t than_members);

/// Whether these fill `need`.
bool fills(const std::vector<Filling>& all, const Group& group, std::int64_t need);

/// Groups that fill `need` each, with groups² / members as large as was found. Deterministic: the work is bounded by
/// steps, not time.
Covering find_covering(const std::vector<Filling>& all, std::int64_t need);

}  // namespace sy::pipeline
