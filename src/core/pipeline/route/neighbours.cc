#include "core/pipeline/route/neighbours.h"

#include <algorithm>
#include <tuple>

namespace sy::pipeline {

namespace {

void sort_by_time(std::vector<Neighbours::Link>& links) {
    std::sort(links.begin(), links.end(),
              [](const auto& a, const auto& b) { return std::tuple(a.idle, a.member) < std::tuple(b.idle, b.member); });
}

}  // namespace

Neighbours::Neighbours(const Columns& columns) : after_(columns.members().size()), before_(columns.members().size()) {
    const auto& members = columns.members();
    for (std::uint32_t m = 0; m < members.size(); ++m)
        while (ends_from_.size() <= members[m].end_entry) ends_from_.push_back(m);
    ends_from_.resize(columns.entries().size() + 2, static_cast<std::uint32_t>(members.size()));
    holders_from_.resize(columns.entries().size() + 1);
    for (const Columns::Member& member : members)
        for (std::uint32_t e = member.first_entry; e < member.end_entry; ++e) ++holders_from_[e];
    std::uint32_t sum = 0;
    for (std::uint32_t& from : holders_from_) from = sum += from;
    holders_.resize(sum);
    for (auto m = static_cast<std::uint32_t>(members.size()); m-- > 0;)
        for (std::uint32_t e = members[m].first_entry; e < members[m].end_entry; ++e) holders_[--holders_from_[e]] = m;
}

const std::vector<Neighbours::Link>& Neighbours::after(const Shards& shards, const Columns& columns,
                                                       std::uint32_t member) {
    Links& list = after_[member];
    if (list.made) return list.links;
    const std::uint32_t entry = columns.members()[member].end_entry;
    const auto [first, end] = shards.links_from(columns.members()[member].node);
    for (Shards::LinkIndex k = first; k < end; ++k) {
        const std::uint32_t other = columns.member_of(shards.hops().known()[k].to);
        if (other == Columns::kNone) continue;
        const Columns::Member& follows = columns.members()[other];
        if (follows.first_entry <= entry && entry < follows.end_entry)
            list.links.push_back({shards.idle_time(k).count(), other, k});
    }
    sort_by_time(list.links);
    list.made = true;
    return list.links;
}

const std::vector<Neighbours::Link>& Neighbours::before(const Shards& shards, const Columns& columns,
                                                        std::uint32_t member) {
    Links& list = before_[member];
    if (list.made) return list.links;
    const Run followed = whom_it_follows(columns, member);
    for (const Shards::LinkIndex k : shards.links_into(columns.members()[member].node)) {
        const std::uint32_t other = columns.member_of(shards.hops().known()[k].from);
        if (other != Columns::kNone && followed.first <= other && other < followed.end)
            list.links.push_back({shards.idle_time(k).count(), other, k});
    }
    sort_by_time(list.links);
    list.made = true;
    return list.links;
}

}  // namespace sy::pipeline
