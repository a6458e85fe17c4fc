// Neighbours: who can follow whom, with the nearest first.
//
// By members of Columns. A node can follow another where it holds the layer that comes after the other's last. Links
// that are known lie in lists, each made when it is first asked for; all others cost the same and need none. What is
// here stays the same while only loads change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/route/shards.h"
#include "core/pipeline/route/to_go.h"

namespace sy::pipeline {

class Neighbours {
public:
    struct Link {
        Nanoseconds idle = 0;  ///< Its time without load.
        std::uint32_t member = 0;
        Shards::LinkIndex known = 0;
    };
    /// Members next to each other, from the first up to, not with, the end.
    struct Run {
        std::uint32_t first = 0;
        std::uint32_t end = 0;

        std::uint32_t size() const { return end - first; }
    };

    Neighbours() = default;
    explicit Neighbours(const Columns& columns);

    /// Known links to those who can follow the member, and from those whom it can follow.
    const std::vector<Link>& after(const Shards& shards, const Columns& columns, std::uint32_t member);
    const std::vector<Link>& before(const Shards& shards, const Columns& columns, std::uint32_t member);
    /// Who can be entered there.
    std::span<const std::uint32_t> holders(std::uint32_t entry) const {
        return std::span(holders_).subspan(holders_from_[entry], holders_from_[entry + 1] - holders_from_[entry]);
    }
    /// Whom the member can follow: they lie side by side, as members are sorted by their ends.
    Run whom_it_follows(const Columns& columns, std::uint32_t member) const {
        const Columns::Member& at = columns.members()[member];
        return {ends_from_[at.first_entry], ends_from_[at.end_entry]};
    }
    /// Who ends there.
    Run ending(std::uint32_t entry) const { return {ends_from_[entry], ends_from_[entry + 1]}; }

private:
    struct Links {
        bool made = false;
        std::vector<Link> links;
    };

    std::vector<std::uint32_t> holders_;
    std::vector<std::uint32_t> holders_from_;  ///< By entry, and one more.
    std::vector<std::uint32_t> ends_from_;     ///< By entry, and two more: the first member that ends there or later.
    std::vector<Links> after_;
    std::vector<Links> before_;
};

}  // namespace sy::pipeline
