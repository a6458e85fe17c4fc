// Problem: bounds on what is left of a way, good enough that a search looks at little beside the best way, while loads
// change on a dozen nodes and links with every request.
//
// Source: Generalized Adaptive A* (Sun, Koenig, Yeoh, 2008). A search that found the least price raises the bound of
// all it went on from to what is then certain; prices that grow leave bounds what they are; prices that fall have
// bounds lowered until they are consistent again, as in Dijkstra's algorithm. Ends of layers order our nodes, so a pass
// over marked nodes from the last end to the first does that without a heap.
//
// Choice: exact prices kept up to date would follow every load that comes and goes through all nodes before it. Bounds
// of nodes that no good way leads through sink to what they are when those after them are idle and stay there, and
// loads that come and go above that touch them no more.
//
// Cost: a price that falls is shown to all who can go there, n · s / layers of them with n nodes of s layers; few take
// notice. At the start bounds are those of ToGo with the least of all hops.
#include "core/pipeline/route/outlook.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sy::pipeline {

void Outlook::follow(const Shards& shards, const Columns& columns, Neighbours& neighbours, Level level) {
    if (started_ && shards.version() == seen_) return;
    if (!started_ || !shards.remembers(seen_)) {
        start(shards, columns, neighbours, level);
    } else {
        for (std::uint64_t n = seen_.changes; n < shards.version().changes; ++n) {
            const Shards::Change& change = shards.change(n);
            const std::uint32_t member = columns.member_of(change.node);
            if (member == Columns::kNone) continue;
            take(shards, columns, member, level);
            if (change.relieved && change.link != Shards::kNoLink) relieve(shards, columns, change.link);
        }
        recount_most(neighbours);
        lower_all(shards, columns, neighbours);
    }
    seen_ = shards.version();
    started_ = true;
}

void Outlook::start(const Shards& shards, const Columns& columns, const Neighbours& neighbours, Level level) {
    ToGo bound;
    bound.follow(shards, columns, level);
    const auto count = static_cast<std::uint32_t>(columns.members().size());
    offers_.resize(count);
    rest_.resize(count);
    worth_.resize(count);
    most_rest_.assign(columns.entries().size() + 1, 0);
    recounted_ = 0;
    known_.resize(count);
    border_after_.resize(count);
    for (std::uint32_t m = 0; m < count; ++m) {
        offers_[m] = offer_of(shards, columns.members()[m].node, level);
        border_after_[m] = columns.columns()[columns.column_of(m)].end;
        rest_[m] = {std::min(kOutOfReach, bound.after(columns.column_of(m))), 0, 0};
        add_up(columns, m);
    }
    marked_.assign(count / 64 + 1, 0);
    least_by_.resize(columns.entries().size());
    for (std::uint32_t e = 0; e < least_by_.size(); ++e) {
        least_by_[e] = {};
        looked(columns, neighbours, e, count + 1);
    }
}

void Outlook::take(const Shards& shards, const Columns& columns, std::uint32_t member, Level level) {
    const Offer now = offer_of(shards, columns.members()[member].node, level);
    const Offer before = std::exchange(offers_[member], now);
    if (now == before) return;
    add_up(columns, member);
    if (!before.cheaper_than(now)) mark(member);
}

void Outlook::relieve(const Shards& shards, const Columns& columns, Shards::LinkIndex link) {
    const auto& [from, to, hop] = shards.hops().known()[link];
    const std::uint32_t first = columns.member_of(from);
    const std::uint32_t second = columns.member_of(to);
    if (first == Columns::kNone || second == Columns::kNone || closed(second)) return;
    const std::uint32_t entry = columns.members()[first].end_entry;
    const Columns::Member& follows = columns.members()[second];
    if (entry < follows.first_entry || entry >= follows.end_entry) return;
    lower(shards, columns, first, (shards.idle_time(link) + shards.delay(link)).count(), second);
}

void Outlook::lower_all(const Shards& shards, const Columns& columns, Neighbours& neighbours) {
    for (std::size_t word = marked_.size(); word-- > 0;)
        while (marked_[word] != 0) {
            const auto bit = static_cast<std::uint32_t>(std::bit_width(marked_[word]) - 1);
            marked_[word] ^= std::uint64_t{1} << bit;
            const auto member = static_cast<std::uint32_t>(word * 64 + bit);
            if (!closed(member)) lower_those_before(shards, columns, neighbours, member);
        }
}

void Outlook::lower_those_before(const Shards& shards, const Columns& columns, Neighbours& neighbours,
                                 std::uint32_t member) {
    const Columns::Member& at = columns.members()[member];
    for (std::uint32_t e = at.first_entry; e < at.end_entry; ++e)
        least_by_[e].time = std::min(least_by_[e].time, time_by(member, columns.entries()[e]));
    const auto& known = neighbours.before(shards, columns, member);
    const Nanoseconds farthest = farthest_before(columns, member);
    for (const Neighbours::Link& link : known) {
        if (link.idle > farthest) break;
        if (link.idle + time_by(member, border_after_[link.member]) <= rest_[link.member].time)
            lower(shards, columns, link.member, link.idle + shards.delay(link.known, Duration(link.idle)).count(),
                  member);
    }
    const Neighbours::Run all = neighbours.whom_it_follows(columns, member);
    const Nanoseconds hop = std::clamp(shards.hops().otherwise().time, Duration{}, Shards::kLongest).count();
    if (known.size() == all.size() || hop > farthest) return;
    known_.forget_all();
    for (const Neighbours::Link& link : known) known_.set(link.member);
    for (std::uint32_t e = std::max(at.first_entry, 1U); e < at.end_entry; ++e) {
        const Nanoseconds time = hop + time_by(member, columns.entries()[e]);
        if (time > most_rest_[e]) continue;
        const auto [first, end] = neighbours.ending(e);
        for (std::uint32_t from = first; from < end; ++from)
            if (time <= rest_[from].time && !known_.has(from)) lower(shards, columns, from, hop, member);
    }
}

Nanoseconds Outlook::farthest_before(const Columns& columns, std::uint32_t member) const {
    const Columns::Member& at = columns.members()[member];
    Nanoseconds farthest = -1;
    for (std::uint32_t e = std::max(at.first_entry, 1U); e < at.end_entry; ++e)
        farthest = std::max(farthest, most_rest_[e] - time_by(member, columns.entries()[e]));
    return farthest;
}

void Outlook::recount_most(const Neighbours& neighbours) {
    if (++recounted_ >= most_rest_.size()) recounted_ = 1;
    const auto [first, end] = neighbours.ending(recounted_);
    Nanoseconds most = 0;
    for (std::uint32_t m = first; m < end; ++m) most = std::max(most, rest_[m].time);
    most_rest_[recounted_] = most;
}

void Outlook::lower(const Shards& shards, const Columns& columns, std::uint32_t from, Nanoseconds hop,
                    std::uint32_t member) {
    const Layer border = columns.entries()[columns.members()[from].end_entry];
    const Price rest = Price{hop} + own(shards, columns, member, border) + rest_[member];
    if (rest >= rest_[from]) return;
    rest_[from] = rest;
    add_up(columns, from);
    mark(from);
}

void Outlook::raise(const Columns& columns, std::uint32_t member, const Price& rest) {
    if (rest <= rest_[member]) return;
    rest_[member] = rest.time >= kOutOfReach ? kNoWay : rest;
    add_up(columns, member);
}

void Outlook::add_up(const Columns& columns, std::uint32_t member) {
    worth_[member] = {std::min(kOutOfReach, offers_[member].from_node + rest_[member].time), offers_[member].per_layer};
    Nanoseconds& most = most_rest_[columns.members()[member].end_entry];
    most = std::max(most, rest_[member].time);
}

void Outlook::looked(const Columns& columns, const Neighbours& neighbours, std::uint32_t entry, std::uint32_t times) {
    Least& least = least_by_[entry];
    least.looks += times;
    const auto holders = neighbours.holders(entry);
    if (least.looks <= holders.size()) return;
    least = {kOutOfReach, 0};
    for (const std::uint32_t m : holders)
        if (!closed(m)) least.time = std::min(least.time, time_by(m, columns.entries()[entry]));
}

}  // namespace sy::pipeline
