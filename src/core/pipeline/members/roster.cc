#include "core/pipeline/members/roster.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "core/pipeline/remeasure.h"

namespace sy::pipeline {

namespace {

bool is_about(const Hop& known, const Hop& hop) {
    return std::chrono::abs(known.time - hop.time) <= known.time / 16 &&
           std::abs(known.rate - hop.rate) <= known.rate / 16;
}

}  // namespace

Roster::Roster(Ground ground, Costs model) : ground_(std::move(ground)), estimates_(std::move(model)) {
    const Hop between = appraise_link(ground_.model, ground_.settings, ground_.default_link, Cargo::activations);
    const Hop with_client = ground_.client_link
                                ? appraise_link(ground_.model, ground_.settings, *ground_.client_link, Cargo::tokens)
                                : Hop{};
    estimates_.hops = Hops({}, between, with_client);
    costs_ = estimates_;
}

std::optional<NodeIndex> Roster::find(std::string_view id) const {
    const auto at = by_id_.find(id);
    if (at == by_id_.end()) return {};
    return at->second;
}

std::vector<NodeIndex> Roster::by_id() const {
    std::vector<NodeIndex> nodes;
    nodes.reserve(by_id_.size());
    for (const auto& [id, node] : by_id_) nodes.push_back(node);
    return nodes;
}

Result<NodeIndex> Roster::join(const MeshNode& node, Instant now) {
    if (node.id.empty()) return fail(Fault::invalid_input, "a node without id", "give it one");
    auto appraised = appraise_node(ground_.model, ground_.settings, node);
    if (!appraised) return tl::unexpected(std::move(appraised.error()));
    NodeIndex place = size();
    if (free_.empty()) {
        members_.emplace_back();
        shares_.held.emplace_back();
        shares_.wanted.emplace_back();
        shares_.lots.emplace_back();
        estimates_.nodes.emplace_back();
        costs_.nodes.emplace_back();
    } else {
        place = free_.back();
        free_.pop_back();
    }
    estimates_.nodes[place] = costs_.nodes[place] = *std::move(appraised);
    shares_.lots[place] = digest_of(node.id);
    Member& member = members_[place];
    member = Member{.id = node.id, .heard = now};
    member.in_silence = silence_.insert(silence_.end(), place);
    by_id_.emplace(node.id, place);
    put_on_standby(place);
    for (const auto& [there, leaves, costs] : awaited_.take(node.id))
        if (leaves)
            link(there, place, costs);
        else
            link(place, there, costs);
    return place;
}

void Roster::hold(NodeIndex node, Range range) {
    take_from_standby(node);
    shares_.held[node] = range;
    put_on_standby(node);
}

void Roster::want(NodeIndex node, Range range) {
    take_from_standby(node);
    shares_.wanted[node] = range;
    put_on_standby(node);
}

void Roster::take_from_standby(NodeIndex node) {
    if (std::exchange(members_[node].stands_by, false)) standby_.remove(members_[node].id, costs_.nodes[node]);
}

void Roster::put_on_standby(NodeIndex node) {
    if (!shares_.held[node].empty() || !shares_.wanted[node].empty()) return;
    members_[node].stands_by = true;
    standby_.add(members_[node].id, node, costs_.nodes[node]);
}

void Roster::leave(NodeIndex node) {
    take_from_standby(node);
    silence_.erase(members_[node].in_silence);
    by_id_.erase(members_[node].id);
    members_[node] = {};
    shares_.held[node] = shares_.wanted[node] = {};
    estimates_.nodes[node] = costs_.nodes[node] = {};
    forget_links(node);
    awaited_.forget(node);
    free_.push_back(node);
}

void Roster::forget_links(NodeIndex node) {
    for (auto at = links_.lower_bound({node, 0}); at != links_.end() && at->first.first == node;
         at = links_.erase(at)) {
        links_backwards_.erase({at->first.second, node});
        new_links_ = true;
    }
    for (auto at = links_backwards_.lower_bound({node, 0}); at != links_backwards_.end() && at->first == node;
         at = links_backwards_.erase(at)) {
        links_.erase({at->second, node});
        new_links_ = true;
    }
}

void Roster::hear(NodeIndex node, Instant now) {
    members_[node].heard = now;
    silence_.splice(silence_.end(), silence_, members_[node].in_silence);
}

std::optional<NodeIndex> Roster::most_silent() const {
    if (silence_.empty()) return {};
    return silence_.front();
}

std::optional<NodeIndex> Roster::end_of(const std::string& id) const {
    if (id.empty()) return kClient;
    return find(id);
}

bool Roster::link(const MeasuredLink& link) {
    const auto from = end_of(link.from);
    const auto to = end_of(link.to);
    if (link.from == link.to) return false;
    if (!from || !to) return await_link(link);
    this->link(*from, *to, link.costs);
    return true;
}

/// Of the client's the node that is not there will speak itself.
bool Roster::await_link(const MeasuredLink& link) {
    const auto from = find(link.from);
    const auto to = find(link.to);
    if (from) return awaited_.keep(link.to, {*from, true, link.costs});
    return to && awaited_.keep(link.from, {*to, false, link.costs});
}

void Roster::link(NodeIndex from, NodeIndex to, LinkCosts costs) {
    const auto [at, is_new] = links_.try_emplace({from, to});
    KnownLink& known = at->second;
    known.rtt.add(costs.rtt, 1);
    costs.rtt = *known.rtt.value();
    const bool with_client = from == kClient || to == kClient;
    const Hop hop =
        appraise_link(ground_.model, ground_.settings, costs, with_client ? Cargo::tokens : Cargo::activations);
    if (!is_new && is_about(known.hop, hop)) return;
    known.hop = hop;
    links_backwards_.emplace(to, from);
    new_links_ = true;
}

bool Roster::take_new_links() {
    if (!new_links_) return false;
    new_links_ = false;
    std::vector<Hops::Known> known;
    known.reserve(links_.size());
    for (const auto& [ends, link] : links_) known.push_back({ends.first, ends.second, link.hop});
    costs_.hops = Hops(std::move(known), estimates_.hops.otherwise(), estimates_.hops.with_client());
    return true;
}

void Roster::remeasure(NodeIndex node, Range held, Duration each) {
    take_from_standby(node);
    costs_.nodes[node] = at_pace(estimates_.nodes[node], pace_of(estimates_, node, held, each));
    put_on_standby(node);
}

}  // namespace sy::pipeline
