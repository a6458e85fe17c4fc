#include "service/pipelines/tally.h"

#include <numeric>

namespace sy::pipelines {

std::string_view name_of(End end) {
    switch (end) {
        case End::ended: return "ended";
        case End::refused: return "refused";
        case End::failed: return "failed";
        case End::gone: return "gone";
    }
    return "";
}

std::string_view name_of(pipeline::Plan plan) {
    switch (plan) {
        case pipeline::Plan::placed: return "placed";
        case pipeline::Plan::mended: return "mended";
        case pipeline::Plan::filled: return "filled";
        case pipeline::Plan::shifted: return "shifted";
    }
    return "";
}

void Tally::give(RequestId request, Instant now) {
    ++given_;
    const auto found = open_.find(request);
    if (found == open_.end() || found->second.has_had_way) return;
    found->second.has_had_way = true;
    waits_.observe(to_seconds(now - found->second.asked));
}

void Tally::end(RequestId request, End how, Instant now) {
    const auto open = open_.extract(request);
    if (!open) return;
    ++ended_[static_cast<std::size_t>(how)];
    if (how == End::ended) latencies_.observe(to_seconds(now - open.mapped().asked));
}

void Tally::rebalance(const pipeline::Rebalanced& done) {
    ++plans_[static_cast<std::size_t>(done.plan)];
    moved_bytes_ += done.bytes;
}

std::uint64_t Tally::rebalanced() const {
    return std::accumulate(plans_.begin(), plans_.end(), std::uint64_t{0});
}

}  // namespace sy::pipelines
