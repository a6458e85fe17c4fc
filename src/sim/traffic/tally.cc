#include "sim/traffic/tally.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/wide.h"

namespace sy::sim {

Spread spread_of(std::vector<Duration> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const Wide sum = std::accumulate(samples.begin(), samples.end(), Wide{0},
                                     [](Wide so_far, Duration each) { return so_far + each.count(); });
    // The least that so many hundredths of them do not exceed.
    const auto at = [&](std::size_t hundredths) {
        return samples[std::max<std::size_t>((samples.size() * hundredths + 99) / 100, 1) - 1];
    };
    return {Duration(static_cast<std::int64_t>(sum / static_cast<Wide>(samples.size()))), at(50), at(99)};
}

Tally::Tally(std::size_t nodes, std::size_t requests) : nodes_(nodes) {
    first_tokens_.reserve(requests);
}

void Tally::failed_node(pipeline::NodeIndex node) {
    ++sums_.failures;
    ++nodes_[node].failures;
}

void Tally::sent_along(const pipeline::Pipeline& stages) {
    for (const pipeline::Stage& stage : stages) ++nodes_[stage.node].requests;
}

void Tally::moved_prompt(Duration hop, std::uint64_t bytes) {
    on_hops_s_ += to_seconds(hop);
    sums_.hop_bytes += bytes;
}

void Tally::passed(const Way& way, std::uint32_t tokens, std::uint64_t bytes_each) {
    for (std::uint32_t u = 0; u < way.nodes; ++u) nodes_[way.uses[u].place].worked += way.uses[u].per_token * tokens;
    on_hops_s_ += to_seconds(way.hops) * tokens;
    sums_.hop_bytes += bytes_each * tokens;
}

void Tally::left(const pipeline::Pipeline& stages, Duration on_the_way) {
    for (const pipeline::Stage& stage : stages) nodes_[stage.node].occupied += on_the_way;
    on_the_way_s_ += to_seconds(on_the_way);
}

void Tally::completed(Level level, std::uint32_t tokens, Duration since_arrival, Instant now) {
    ++sums_.completed;
    tokens_ += tokens;
    of(level).latencies.push_back(since_arrival);
    last_end_ = std::max(last_end_, now);
}

void Tally::digest(std::uint32_t request, Instant now, const pipeline::Pipeline& stages) {
    digest_.add(request);
    digest_.add(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    for (const pipeline::Stage& stage : stages) digest_.add(stage.node);
}

std::vector<LevelFigures> Tally::of_levels() const {
    std::vector<LevelFigures> levels;
    for (std::size_t l = 0; l < kLevels; ++l) {
        const auto& [latencies, waits] = by_level_[l];
        if (!waits.empty())
            levels.push_back({static_cast<Level>(l), latencies.size(), spread_of(latencies), spread_of(waits)});
    }
    return levels;
}

Tally::Samples Tally::of_all() const {
    Samples all;
    for (const auto& [latencies, waits] : by_level_) {
        all.latencies.insert(all.latencies.end(), latencies.begin(), latencies.end());
        all.waits.insert(all.waits.end(), waits.begin(), waits.end());
    }
    return all;
}

TrafficFigures Tally::figures(const std::vector<pipeline::NodeIndex>& holders, Instant first_arrival,
                              std::uint64_t events) && {
    TrafficFigures out = std::move(sums_);
    out.events = events;
    out.digest = digest_.value();
    out.span = std::max(last_end_ - first_arrival, Duration::zero());
    const double seconds = std::max(to_seconds(out.span), 1e-9);
    out.requests_per_s = static_cast<double>(out.completed) / seconds;
    out.tokens_per_s = static_cast<double>(tokens_) / seconds;
    out.first_token = spread_of(std::move(first_tokens_));
    Samples all = of_all();
    out.latency = spread_of(std::move(all.latencies));
    out.wait = spread_of(std::move(all.waits));
    out.levels = of_levels();
    double sum = 0;
    double most = 0;
    for (const pipeline::NodeIndex n : holders) {
        const Node& node = nodes_[n];
        // A step that carries a prompt carries tokens as well; both were counted.
        const double busy = std::min(1.0, to_seconds(node.worked) / seconds);
        out.nodes.push_back({n, node.requests, busy, to_seconds(node.occupied) / seconds, node.failures});
        sum += busy;
        most = std::max(most, busy);
    }
    if (sum > 0) out.balance = most * static_cast<double>(holders.size()) / sum;
    if (on_the_way_s_ > 0) out.hop_share = std::min(1.0, on_hops_s_ / on_the_way_s_);
    return out;
}

}  // namespace sy::sim
