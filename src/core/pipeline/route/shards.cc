#include "core/pipeline/route/shards.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/wide.h"

namespace sy::pipeline {

namespace {

/// Stamps are told apart like random numbers (the finisher of SplitMix64; Steele, Lea, Flood, 2014).
std::uint64_t mixed(std::uint64_t stamp, std::uint64_t what) {
    std::uint64_t z = (stamp + 0x9E37'79B9'7F4A'7C15) ^ (what * 0xBF58'476D'1CE4'E5B9);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31);
}

Duration within_limits(Wide ns) {
    return Duration(static_cast<std::int64_t>(std::clamp<Wide>(ns, 0, Shards::kLongest.count())));
}

/// What one request's token takes on the link. A link that lets nothing through is one to avoid.
Duration token_time(Rate rate) {
    if (rate >= kNoLimit) return {};
    if (rate <= 0) return Shards::kLongest;
    return within_limits(Wide{1'000'000'000} * kTokenPerSecond / rate);
}

}  // namespace

Shard shard_of(const Costs& costs, NodeIndex node, Range range) {
    Shard shard;
    shard.range = range;
    shard.per_layer = costs.time(node, range) / std::max<Layer>(1, range.size());
    shard.most_requests = costs.requests(node, range);
    shard.together = std::max(1U, std::min(costs.batch, shard.most_requests));
    return shard;
}

Shards::Shards(Layer layers, Hops hops)
    : layers_(layers), hops_(std::move(hops)), regions_(hops_), recent_(kRemembered) {
    SY_CHECK(layers > 0 && layers <= kMostLayers, "{} layers, not from 1 to {}", layers, kMostLayers);
    reshape(layers);
    survey_links();
}

void Shards::hold(NodeIndex node, const Shard& shard) {
    SY_CHECK(!shard.range.empty() && shard.range.end <= layers_, "node {} with layers {} to {} of {}", node,
             shard.range.first, shard.range.end, layers_);
    SY_CHECK(shard.together > 0, "node {} that steps with nobody", node);
    if (node >= nodes_.size()) nodes_.resize(std::size_t{node} + 1);
    nodes_[node].shard = shard;
    nodes_[node].shard.per_layer = std::clamp(shard.per_layer, Duration::zero(), kLongest / shard.range.size());
    reshape(node);
    reshape((std::uint64_t{shard.range.first} << 32) | shard.range.end);
    reshape((std::uint64_t{shard.together} << 32) | shard.most_requests);
    note(node, static_cast<std::uint64_t>(shard.per_layer.count()));
}

void Shards::drop(NodeIndex node) {
    if (!holds(node)) return;
    nodes_[node].shard = {};
    reshape(~std::uint64_t{node});
    note(node, 0);
}

void Shards::measure(NodeIndex node, Duration per_layer) {
    if (!holds(node)) return;
    Shard& shard = nodes_[node].shard;
    shard.per_layer = std::clamp(per_layer, Duration::zero(), kLongest / shard.range.size());
    note(node, static_cast<std::uint64_t>(shard.per_layer.count()));
}

void Shards::relink(Hops hops, const std::vector<Route>& under_way) {
    hops_ = std::move(hops);
    regions_ = Regions(hops_);
    survey_links();
    for (const Route& route : under_way) count_links(route.stages);
}

void Shards::survey_links() {
    const auto& known = hops_.known();
    SY_CHECK(known.size() < kNoLink, "{} known links", known.size());
    client_hop_ = within_limits(hops_.with_client().time.count());
    loads_.clear();
    in_use_.assign(known.size() / 64 + 1, 0);
    links_from_.clear();
    std::vector<LinkIndex> entering;
    for (LinkIndex k = 0; k < known.size(); ++k) {
        const auto& [from, to, hop] = known[k];
        while (from != kClient && links_from_.size() <= from) links_from_.push_back(k);
        loads_.push_back({token_time(hop.rate), 0});
        if (from != kClient && to != kClient) {
            if (entering.size() <= to) entering.resize(std::size_t{to} + 1);
            ++entering[to];
        }
        reshape((std::uint64_t{from} << 32) | to);
        reshape(static_cast<std::uint64_t>(hop.time.count()));
        reshape(static_cast<std::uint64_t>(hop.rate));
    }
    const auto of_client = std::find_if(known.begin(), known.end(), [](const auto& k) { return k.from == kClient; });
    links_from_.push_back(static_cast<LinkIndex>(of_client - known.begin()));
    sort_by_end(std::move(entering));
    find_gapless();
    reshape(static_cast<std::uint64_t>(hops_.otherwise().time.count()));
    reshape(static_cast<std::uint64_t>(client_hop_.count()));
}

void Shards::find_gapless() {
    gapless_.assign(links_from_.size() - 1, 0);
    for (NodeIndex node = 0; node < gapless_.size(); ++node) {
        const auto [first, end] = links_from(node);
        for (LinkIndex k = first; k < end; ++k) {
            NodeIndex& next = gapless_[node];
            if (next == node) ++next;
            if (hops_.known()[k].to != next) break;
            ++next;
        }
    }
}

void Shards::sort_by_end(std::vector<LinkIndex> entering) {
    into_begins_.assign(1, 0);
    for (const LinkIndex count : entering) into_begins_.push_back(into_begins_.back() + count);
    links_into_.resize(into_begins_.back());
    for (LinkIndex k = 0; k < links_from_.back(); ++k)
        if (const NodeIndex to = hops_.known()[k].to; to != kClient)
            links_into_[into_begins_[to + 1] - entering[to]--] = k;
}

void Shards::begin(const Route& route) {
    count(route, 1);
    ++uses_;
    for (const Stage& stage : route.stages) nodes_[stage.node].last_used = uses_;
}

void Shards::end(const Route& route) {
    count(route, -1);
}

void Shards::count(const Route& route, int sign) {
    const auto level = static_cast<std::size_t>(route.level);
    NodeIndex from = kClient;
    for (const auto& [node, range] : route.stages) {
        SY_CHECK(node < nodes_.size(), "a route through node {} of {}", node, nodes_.size());
        Node& at = nodes_[node];
        SY_CHECK(sign > 0 || at.by_level[level] > 0, "a request ends on node {} that was not there", node);
        at.by_level[level] += static_cast<std::uint32_t>(sign);
        at.in_flight += static_cast<std::uint32_t>(sign);
        const LinkIndex known = add_link(from, node, sign);
        Change& change = note(node, (level << 1) | (sign > 0 ? 1U : 0U));
        change.from = from;
        change.link = from == kClient ? kNoLink : known;
        change.relieved = sign < 0;
        from = node;
    }
    if (!route.stages.empty()) add_link(from, kClient, sign);
}

void Shards::count_links(const Pipeline& stages) {
    NodeIndex from = kClient;
    for (const Stage& stage : stages) {
        add_link(from, stage.node, 1);
        from = stage.node;
    }
    if (!stages.empty()) add_link(from, kClient, 1);
}

Shards::LinkIndex Shards::add_link(NodeIndex from, NodeIndex to, int sign) {
    const LinkIndex known = link(from, to);
    if (known == kNoLink) return kNoLink;
    std::uint32_t& requests = loads_[known].requests;
    SY_CHECK(sign > 0 || requests > 0, "a request ends on the link {} to {} that was not there", from, to);
    requests += static_cast<std::uint32_t>(sign);
    const std::uint64_t bit = std::uint64_t{1} << (known % 64);
    in_use_[known / 64] = requests > 0 ? in_use_[known / 64] | bit : in_use_[known / 64] & ~bit;
    return known;
}

Shards::LinkSpan Shards::links_from(NodeIndex node) const {
    const auto all = static_cast<LinkIndex>(loads_.size());
    if (node == kClient) return {links_from_.back(), all};
    if (std::size_t{node} + 1 >= links_from_.size()) return {};
    return {links_from_[node], links_from_[node + 1]};
}

std::span<const Shards::LinkIndex> Shards::links_into(NodeIndex node) const {
    if (std::size_t{node} + 1 >= into_begins_.size()) return {};
    return std::span(links_into_).subspan(into_begins_[node], into_begins_[node + 1] - into_begins_[node]);
}

Shards::LinkIndex Shards::link(NodeIndex from, NodeIndex to) const {
    if (loads_.empty()) return kNoLink;
    const auto [first, end] = links_from(from);
    if (first == end) return kNoLink;
    // Where a node has links to all others there is nothing to look up.
    if (from != kClient && to < gapless_[from] && to != from) return first + to - (to > from ? 1 : 0);
    const auto& known = hops_.known();
    const auto last = known.begin() + static_cast<std::ptrdiff_t>(end);
    const auto at = std::lower_bound(known.begin() + static_cast<std::ptrdiff_t>(first), last, to,
                                     [](const Hops::Known& k, NodeIndex node) { return k.to < node; });
    if (at == last || at->to != to) return kNoLink;
    return static_cast<LinkIndex>(at - known.begin());
}

std::uint32_t Shards::ahead(NodeIndex node, Level level) const {
    std::uint32_t sum = 0;
    for (std::size_t l = 0; l <= static_cast<std::size_t>(level); ++l) sum += nodes_[node].by_level[l];
    return sum;
}

Duration Shards::wait(NodeIndex node, Level level) const {
    const Shard& shard = nodes_[node].shard;
    const std::uint32_t others = ahead(node, level);
    // A day times 65,536 fits a word; a division of 128 bits would be most of what a route costs here.
    if (others <= 65'536) return std::min(kLongest, Duration(shard.step().count() * others / shard.together));
    return within_limits(Wide{shard.step().count()} * others / shard.together);
}

Duration Shards::hop(NodeIndex from, NodeIndex to) const {
    if (const LinkIndex known = link(from, to); known != kNoLink) return idle_time(known) + delay(known);
    if (from == kClient || to == kClient) return client_hop_;
    return std::clamp(hops_.otherwise().time, Duration{}, kLongest);
}

Duration Shards::idle_time(LinkIndex link) const {
    return std::clamp(hops_.known()[link].hop.time, Duration{}, kLongest);
}

Duration Shards::delay_in_use(LinkIndex link, Duration idle) const {
    const auto& [token_time, requests] = loads_[link];
    const Duration most = kLongest - idle;
    // As in wait().
    if (requests <= 65'536) return std::min(most, token_time * requests);
    return std::min(most, within_limits(Wide{token_time.count()} * requests));
}

std::uint32_t Shards::in_flight_between(NodeIndex from, NodeIndex to) const {
    const LinkIndex known = link(from, to);
    return known == kNoLink ? 0 : loads_[known].requests;
}

std::optional<NoRoute> Shards::obstacle(const Pipeline& stages) const {
    for (const auto& [node, range] : stages) {
        if (!holds(node) || range.first < at(node).range.first || range.end > at(node).range.end)
            return NoRoute{NoRoute::Cause::uncovered, range};
        if (full(node)) return NoRoute{NoRoute::Cause::full, range};
    }
    return {};
}

Duration Shards::expected(const Pipeline& stages, Level level) const {
    Duration sum{};
    NodeIndex from = kClient;
    for (const auto& [node, range] : stages) {
        sum += hop(from, node) + wait(node, level) + at(node).per_layer * range.size();
        from = node;
    }
    return sum + hop(from, kClient);
}

std::optional<NoRoute> Shards::obstacle() const {
    using Cause = NoRoute::Cause;
    if (const auto gap = first_gap(false)) return NoRoute{Cause::uncovered, *gap};
    if (const auto gap = first_gap(true)) return NoRoute{Cause::full, *gap};
    return {};
}

std::optional<Range> Shards::first_gap(bool without_full) const {
    std::vector<std::int64_t> opened(std::size_t{layers_} + 1);
    for (NodeIndex node = 0; node < size(); ++node) {
        if (!holds(node) || (without_full && full(node))) continue;
        ++opened[at(node).range.first];
        --opened[at(node).range.end];
    }
    std::int64_t holders = 0;
    std::optional<Layer> begun;
    for (Layer layer = 0; layer < layers_; ++layer) {
        holders += opened[layer];
        if (holders == 0 && !begun) begun = layer;
        if (holders > 0 && begun) return Range{*begun, layer};
    }
    if (begun) return Range{*begun, layers_};
    return {};
}

bool Shards::remembers(const Version& version) const {
    if (version == this->version()) return true;
    if (version.changes >= changes_ || changes_ - version.changes > kRemembered) return false;
    return recent_[version.changes % kRemembered].stamp == version.stamp;
}

Shards::Change& Shards::note(NodeIndex node, std::uint64_t what) {
    Change& change = recent_[changes_ % kRemembered];
    change = {.node = node, .stamp = stamp_};
    ++changes_;
    // One after the other waits for no more than a turn and a product here.
    stamp_ = std::rotl(stamp_, 29) * 0x9E37'79B9'7F4A'7C15 + mixed(node, what);
    return change;
}

void Shards::reshape(std::uint64_t what) {
    shape_ = mixed(shape_, what);
    stamp_ = mixed(stamp_, shape_);
}

}  // namespace sy::pipeline
