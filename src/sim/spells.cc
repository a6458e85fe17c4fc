#include "sim/spells.h"

#include <algorithm>

#include "core/place/placement.h"
#include "core/place/registry.h"

namespace sy::sim {

namespace {

/// By node: its place on the floor that the placement works on.
std::vector<std::uint32_t> places_on_floor(std::span<const NodeSpec> nodes, const schedule::Policy& policy) {
    const auto placement = place::make_placement(policy.place);
    const bool pools = placement && placement->pools() && !policy.neighbours;
    const std::vector<NodeSpec> floor = pools ? place::pooled(nodes) : std::vector(nodes.begin(), nodes.end());
    std::vector<std::uint32_t> places;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        const auto same_kind = [&](const NodeSpec& pool) { return pool.kind == nodes[n].kind; };
        const auto pool = std::find_if(floor.begin(), floor.end(), same_kind);
        places.push_back(pools ? static_cast<std::uint32_t>(pool - floor.begin()) : n);
    }
    return places;
}

}  // namespace

Spells::Spells(const Trace& trace, std::span<const NodeSpec> nodes, const schedule::Policy& policy, Terms terms)
    : trace_(trace), neighbours_(policy.neighbours), terms_(std::move(terms)) {
    const std::vector<std::uint32_t> places = places_on_floor(nodes, policy);
    free_.resize(places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1);
    kinds_.resize(free_.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        kinds_[places[n]] = nodes[n].kind;
        first_lane_.push_back(static_cast<std::uint32_t>(home_.size()));
        for (GpuCount gpu = 0; gpu < nodes[n].gpus; ++gpu) {
            free_[places[n]].insert(static_cast<std::uint32_t>(home_.size()));
            home_.push_back(places[n]);
        }
    }
}

void Spells::decided(Instant at, const schedule::Decision& decision, std::uint64_t, std::size_t) {
    for (const TaskId task : decision.put_aside) left(at, task);
    for (const schedule::Start& start : decision.starts) begin(at, start);
}

/// Side by side from there on, as far as they are free.
std::vector<std::uint32_t> Spells::run_from(std::uint32_t first, GpuCount gpus) const {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t lane = first; lane < first + gpus && lane < home_.size() && free_[home_[lane]].contains(lane);
         ++lane)
        lanes.push_back(lane);
    return lanes;
}

std::vector<std::uint32_t> Spells::lowest(GpuCount gpus, const std::vector<std::uint32_t>& homes) const {
    std::vector<std::uint32_t> lanes;
    for (const std::uint32_t home : homes) lanes.insert(lanes.end(), free_[home].begin(), free_[home].end());
    std::sort(lanes.begin(), lanes.end());
    lanes.resize(std::min<std::size_t>(lanes.size(), gpus));
    return lanes;
}

void Spells::sit(Stay& stay, std::uint32_t job, GpuCount gpus, const std::vector<std::uint32_t>& homes) {
    std::vector<std::uint32_t> lanes;
    if (job < terms_.first_lanes.size()) lanes = run_from(terms_.first_lanes[job], gpus);
    if (lanes.size() < gpus) lanes = lowest(gpus, homes);
    for (const std::uint32_t lane : lanes) free_[home_[lane]].erase(lane);
    stay.lanes.insert(stay.lanes.end(), lanes.begin(), lanes.end());
}

void Spells::sit_anywhere(Stay& stay, std::uint32_t job) {
    const Demand& demand = trace_.demand_of(trace_.jobs[job]);
    std::vector<std::uint32_t> homes;
    for (std::uint32_t home = 0; home < kinds_.size(); ++home)
        if (demand.kind == KindId{} || demand.kind == kinds_[home]) homes.push_back(home);
    sit(stay, job, demand.gpus, homes);
}

void Spells::begin(Instant at, const schedule::Start& start) {
    const auto job = static_cast<std::uint32_t>(start.task.value() - 1);
    Stay stay{{}, spells_.size(), 0};
    start.seat.for_each([&](const place::Share& share) {
        if (!neighbours_) return sit(stay, job, share.gpus, {share.node.value()});
        for (const std::uint32_t lane : run_from(first_lane_[share.node.value()] + share.at, share.gpus)) {
            free_[home_[lane]].erase(lane);
            stay.lanes.push_back(lane);
        }
    });
    if (stay.lanes.empty()) sit_anywhere(stay, job);
    std::sort(stay.lanes.begin(), stay.lanes.end());
    if (until_ == kNever) {
        for (const std::uint32_t lane : stay.lanes) {
            const bool goes_on =
                spells_.size() > stay.first_spell && spells_.back().lane + spells_.back().lanes == lane;
            if (goes_on)
                ++spells_.back().lanes;
            else
                spells_.push_back({job, lane, 1, at, kNever});
        }
        if (spells_.size() > terms_.most) {
            spells_.resize(stay.first_spell);
            until_ = at;
        }
        stay.spells = spells_.size() - stay.first_spell;
    }
    stays_.insert_or_assign(start.task.value(), std::move(stay));
}

void Spells::left(Instant at, TaskId task) {
    const auto found = stays_.find(task.value());
    if (found == stays_.end()) return;
    const Stay& stay = found->second;
    for (std::size_t i = 0; i < stay.spells; ++i) spells_[stay.first_spell + i].end = at;
    for (const std::uint32_t lane : stay.lanes) free_[home_[lane]].insert(lane);
    stays_.erase(found);
}

}  // namespace sy::sim
