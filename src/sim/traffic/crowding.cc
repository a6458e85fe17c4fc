// Shares of a place's time are counted in billionths, which is nanoseconds a second: a pace of p millionths of a token
// a second by way of a place that takes c nanoseconds a token demands p·c / 10^6 of them. What is added is taken away
// again to the last unit, since both are computed from the same pace.
//
// A token that comes to a node at a random moment finds a prompt running with probability r, the share of time that
// prompts take, and waits for the rest of it: with Pollaczek and Khinchine the sum of squares over twice the window.
// A prompt no longer than a step is a step like others and keeps nobody, so what counts of it is time by excess. The
// step it then goes with carries another prompt about as often, r again, and is longer by what that takes beyond a
// plain step.
//
// Requests that go round and round meet at the slowest node of their way and then keep their distance of one of its
// steps, so nobody waits until its steps fill the round; then a round is as many of them as begin in it.
#include "sim/traffic/crowding.h"

#include <algorithm>

#include "base/check.h"

namespace sy::sim {

namespace {

using pipeline::kNoLimit;
using pipeline::kTokenPerSecond;
using pipeline::NodeIndex;
using pipeline::Rate;

constexpr std::int64_t kBillion = 1'000'000'000;
/// So that no product of a pace and a time overflows.
constexpr Duration kLongestToken = 24h;

Duration time_at(Rate rate) {
    if (rate >= kNoLimit) return {};
    const Wide ns = Wide{kBillion} * kTokenPerSecond / std::max<Rate>(rate, 1);
    return Duration(static_cast<std::int64_t>(std::min<Wide>(ns, kLongestToken.count())));
}

Duration step_part(Duration step, std::int64_t billionths) {
    return Duration(static_cast<std::int64_t>(Wide{step.count()} * billionths / kBillion));
}

}  // namespace

Rate pace_at(Duration token_time) {
    return static_cast<Rate>(Wide{kBillion} * kTokenPerSecond / std::max<std::int64_t>(token_time.count(), 1'000));
}

Duration prompt_hop(const pipeline::Costs& costs, NodeIndex from, NodeIndex to, std::uint32_t tokens) {
    const pipeline::Hop& hop = costs.hops.between(from, to);
    const std::uint32_t more = tokens - std::min(tokens, costs.batch);
    return hop.time + time_at(hop.rate) * more;
}

Crowding::Crowding(const pipeline::Costs& costs) : costs_(costs), places_(costs.nodes.size()) {}

Way Crowding::way(const pipeline::Pipeline& stages) {
    Way way;
    way.uses.reserve(2 * stages.size() + 1);
    for (const auto& [node, range] : stages) {
        way.uses.push_back({node, time_at(costs_.rate(node, range))});
        const Duration step = costs_.time(node, range);
        way.alone += step;
        if (step > way.slowest_step) {
            way.slowest = node;
            way.slowest_step = step;
        }
    }
    way.nodes = static_cast<std::uint32_t>(stages.size());
    NodeIndex from = kClient;
    for (std::size_t s = 0; s <= stages.size(); ++s) {
        const NodeIndex to = s < stages.size() ? stages[s].node : kClient;
        const pipeline::Hop& hop = costs_.hops.between(from, to);
        way.hops += hop.time;
        if (hop.rate < kNoLimit) way.uses.push_back({link(from, to), time_at(hop.rate)});
        from = to;
    }
    way.alone += way.hops;
    return way;
}

std::uint32_t Crowding::link(NodeIndex from, NodeIndex to) {
    const auto [at, is_new] = links_.try_emplace({from, to}, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.emplace_back();
    return at->second;
}

Instant Crowding::run_prompt(NodeIndex node, Instant now, Duration takes, Duration step) {
    takes = std::min(takes, kLongestToken);
    Place& place = places_[node];
    const Duration rest = step_part(step / 2, place.stepping(step));
    place.line_ends = later(std::max(place.line_ends, later(now, rest)), takes);
    Prompt& slot = place.prompts[place.seen % kWindow];
    const Duration longer = std::max(takes - step, Duration::zero());
    place.products += Wide{takes.count()} * longer.count() - Wide{slot.takes.count()} * slot.longer.count();
    place.takes += (takes - slot.takes).count();
    place.longer += (longer - slot.longer).count();
    slot = {now, takes, longer};
    ++place.seen;
    return place.line_ends;
}

Duration Crowding::clear_line(NodeIndex node, Instant now) {
    Place& place = places_[node];
    const Duration left = std::max(place.line_ends - now, Duration::zero());
    place.line_ends = now;
    return left;
}

std::int64_t Crowding::Place::stepping(Duration step) const {
    return static_cast<std::int64_t>(std::min<Wide>(Wide{paces} * step.count() / kTokenPerSecond, kBillion));
}

/// Since the oldest prompt remembered came; at least as long as they all take one after another.
Duration Crowding::Place::window(Instant now) const {
    return std::max(now - prompts[seen % kWindow].at, Duration(std::max<std::int64_t>(takes, 1)));
}

Duration Crowding::Place::mean_wait(Instant now) const {
    if (seen < kWindow) return {};
    const Wide span = window(now).count();
    const Wide rest = products / (2 * span);
    const Wide prompts_share = Wide{takes} * kBillion / span;
    const Wide longer_step = longer / static_cast<Wide>(kWindow) * prompts_share / kBillion * prompts_share / kBillion;
    return Duration(static_cast<std::int64_t>(rest + longer_step));
}

std::int64_t Crowding::Place::available(Instant now) const {
    if (seen < kWindow) return kBillion;
    const Wide taken = Wide{longer} * kBillion / window(now).count();
    return std::max<std::int64_t>(kBillion - static_cast<std::int64_t>(taken), 1'000);
}

Duration Crowding::unhindered(const Way& way, Instant now) const {
    Duration sum = way.alone;
    for (std::uint32_t u = 0; u < way.nodes; ++u) sum += places_[way.uses[u].place].mean_wait(now);
    if (way.slowest_step > Duration::zero()) {
        const Duration over = way.alone % way.slowest_step;
        const Duration to_whole = over > Duration::zero() ? way.slowest_step - over : over;
        sum += step_part(to_whole, places_[way.slowest].stepping(way.slowest_step));
    }
    return std::min(sum, kLongestToken);
}

Duration Crowding::token_time(const Way& way, Duration unhindered, Instant now) const {
    Wide slowest = unhindered.count();
    for (const Way::Use& use : way.uses) {
        const Place& place = places_[use.place];
        const std::int64_t available = place.available(now);
        if (place.demanded <= available) continue;
        slowest = std::max(slowest, Wide{unhindered.count()} * place.demanded / available);
    }
    return Duration(static_cast<std::int64_t>(std::min<Wide>(slowest, kLongestToken.count())));
}

void Crowding::add(const Way& way, Rate pace, int sign) {
    for (const Way::Use& use : way.uses) {
        const Wide part = Wide{pace} * use.per_token.count() / kTokenPerSecond;
        places_[use.place].paces += sign * pace;
        places_[use.place].demanded += sign * static_cast<std::int64_t>(part);
    }
}

bool Crowding::is_idle() const {
    return std::all_of(places_.begin(), places_.end(), [](const Place& place) { return place.demanded == 0; });
}

}  // namespace sy::sim
