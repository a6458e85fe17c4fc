// Roster: the nodes of a crew, what each holds and is to hold, what it costs there, and who was silent for how long.
//
// A node has a place, its index, from when it joins to when it leaves; then the place is given to another. Who is not
// there has no room for anything, so nothing is ever placed on an empty place.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/estimate/measured_layers.h"
#include "core/pipeline/appraise.h"
#include "core/pipeline/members/crew_event.h"
#include "core/pipeline/members/crew_settings.h"
#include "core/pipeline/members/reshare.h"

namespace sy::pipeline {

struct Member {
    std::string id;
    Range wanted;          ///< What it is to hold.
    Range held;            ///< What it holds.
    Range loading;         ///< What it was told to hold and has not yet; takes in what it keeps.
    bool serving = false;  ///< Takes requests for what it holds. If not, and it holds something, it drains.
    Instant due = kNever;  ///< When its draining or loading must have ended.
    estimate::RecentMean each;
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

    /// The id must not be there. Invalid input where the node makes no sense.
    Result<NodeIndex> join(const MeshNode& node, Instant now);
    void leave(NodeIndex node);

    void hear(NodeIndex node, Instant now);
    /// Who was silent for longest.
    std::optional<NodeIndex> most_silent() const;

    /// False, and nothing is noted, where an end is not there or both are the same.
    bool link(const MeasuredLink& link);
    /// Whether links changed since it was last asked; then the costs have the new ones.
    bool take_new_links();

    /// Its layers take so long each, on average, while it holds these.
    void remeasure(NodeIndex node, Range held, Duration each);

    const Costs& costs() const { return costs_; }
    Shares shares() const;

private:
    std::optional<NodeIndex> end_of(const std::string& id) const;

    Ground ground_;
    Costs estimates_;
    Costs costs_;  ///< The same at the measured pace.
    std::vector<Member> members_;
    std::vector<NodeIndex> free_;
    std::map<std::string, NodeIndex, std::less<>> by_id_;
    std::list<NodeIndex> silence_;  ///< The one heard longest ago first.
    std::map<std::pair<NodeIndex, NodeIndex>, Hop> links_;
    bool new_links_ = false;
};

}  // namespace sy::pipeline
