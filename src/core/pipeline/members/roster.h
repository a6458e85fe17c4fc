// Roster: the nodes of a crew, what each holds and is to hold, what it costs there, and who was silent for how long.
//
// A node has a place, its index, from when it joins to when it leaves; then the place is given to another. Who is not
// there has no room for anything, so nothing is ever placed on an empty place.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/estimate/recent_mean.h"
#include "core/pipeline/appraise.h"
#include "core/pipeline/members/awaited_links.h"
#include "core/pipeline/members/crew_event.h"
#include "core/pipeline/members/crew_settings.h"
#include "core/pipeline/members/reshare.h"
#include "core/pipeline/members/standby.h"

namespace sy::pipeline {

struct Member {
    std::string id;
    Range loading;  ///< What it was told to hold and has not yet; takes in what it keeps.
    bool stands_by = false;
    bool serving = false;  ///< Takes requests for what it holds. If not, and it holds something, it drains.
    Instant due = kNever;  ///< When its draining or loading must have ended.
    estimate::RecentMean each;
    std::uint64_t prompt_worth = 0;  ///< Tokens of output that take it as long as 1,000 of a prompt, where it serves.
    Instant heard;
    std::list<NodeIndex>::iterator in_silence;
};

class Roster {
public:
    /// The model must have been appraised to `model`.
    Roster(Ground ground, Costs model);

    /// Places are below it; at() tells of those that are taken.
    NodeIndex size() const { return static_cast<NodeIndex>(members_.size()); }
    std::size_t count() const { return by_id_.size(); }
    bool is_there(NodeIndex node) const { return node < size() && !members_[node].id.empty(); }
    Member& at(NodeIndex node) { return members_[node]; }
    const Member& at(NodeIndex node) const { return members_[node]; }
    std::optional<NodeIndex> find(std::string_view id) const;
    std::vector<NodeIndex> by_id() const;
    bool comes_first(NodeIndex a, NodeIndex b) const { return members_[a].id < members_[b].id; }

    /// What it holds, and what it is to hold.
    Range held(NodeIndex node) const { return shares_.held[node]; }
    Range wanted(NodeIndex node) const { return shares_.wanted[node]; }
    const Shares& shares() const { return shares_; }
    void hold(NodeIndex node, Range range);
    void want(NodeIndex node, Range range);
    /// Who holds nothing and is to hold nothing.
    const Standby& standby() const { return standby_; }

    /// The id must not be there. Invalid input where the node makes no sense.
    Result<NodeIndex> join(const MeshNode& node, Instant now);
    void leave(NodeIndex node);

    void hear(NodeIndex node, Instant now);
    /// Who was silent for longest.
    std::optional<NodeIndex> most_silent() const;

    /// Round trips are recent means; small changes of what is known are left out: they change no route worth speaking
    /// of, and cost a look at all links. Where an end is not there the link counts from when it joins, if the other is.
    /// False, and nothing is noted, where neither node is there, both ends are the same, or too many are awaited.
    bool link(const MeasuredLink& link);
    const AwaitedLinks& awaited_links() const { return awaited_; }
    /// Whether links changed since it was last asked; then the costs have the new ones.
    bool take_new_links();
    bool has_new_links() const { return new_links_; }

    /// Its layers take so long each, on average, while it holds these.
    void remeasure(NodeIndex node, Range held, Duration each);

    const Costs& costs() const { return costs_; }

private:
    struct KnownLink {
        Hop hop;
        estimate::RecentMean rtt;
    };

    std::optional<NodeIndex> end_of(const std::string& id) const;
    void link(NodeIndex from, NodeIndex to, LinkCosts costs);
    bool await_link(const MeasuredLink& link);
    void forget_links(NodeIndex node);
    void take_from_standby(NodeIndex node);
    void put_on_standby(NodeIndex node);

    Ground ground_;
    Costs estimates_;
    Costs costs_;  ///< The same at the measured pace.
    std::vector<Member> members_;
    Shares shares_;
    Standby standby_;
    std::vector<NodeIndex> free_;
    std::map<std::string, NodeIndex, std::less<>> by_id_;
    std::list<NodeIndex> silence_;                                ///< The one heard longest ago first.
    std::map<std::pair<NodeIndex, NodeIndex>, KnownLink> links_;  ///< From and to.
    std::set<std::pair<NodeIndex, NodeIndex>> links_backwards_;   ///< The same, to and from.
    bool new_links_ = false;
    AwaitedLinks awaited_;
};

}  // namespace sy::pipeline
