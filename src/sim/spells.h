// Spells: what each GPU did under a policy, for a chart (S10). As many spells as asked for, from the beginning.
//
// A placement says how many GPUs of which node a job has; which of them they are matters to nobody but the reader. So a
// job is drawn on the lowest lanes of its node that are free, or, where it was at work when the trace was taken up, on
// those it was at work on. Under `count`, which knows no nodes, any GPU of the kind will do; orders that interrupt do
// not even say a seat there. Where GPUs are known one by one (neighbours) the lanes are what was decided.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/measure/spell.h"
#include "sim/replay.h"

namespace sy::sim {

class Spells final : public Onlooker {
public:
    struct Terms {
        std::size_t most = 0;
        /// By job, for those that are at work when the trace is taken up: the first of their lanes.
        std::vector<std::uint32_t> first_lanes = {};
    };

    Spells(const Trace& trace, std::span<const NodeSpec> nodes, const schedule::Policy& policy, Terms terms);

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t busy, std::size_t waiting) override;
    void left(Instant at, TaskId task) override;

    /// To be taken when all jobs have ended.
    std::vector<measure::Spell> take() { return std::move(spells_); }
    /// kNever where all of them are there.
    Instant until() const { return until_; }

private:
    struct Stay {
        std::vector<std::uint32_t> lanes;
        std::size_t first_spell = 0;
        std::size_t spells = 0;
    };

    std::vector<std::uint32_t> run_from(std::uint32_t first, GpuCount gpus) const;
    std::vector<std::uint32_t> lowest(GpuCount gpus, const std::vector<std::uint32_t>& homes) const;
    void sit(Stay& stay, std::uint32_t job, GpuCount gpus, const std::vector<std::uint32_t>& homes);
    void sit_anywhere(Stay& stay, std::uint32_t job);
    void begin(Instant at, const schedule::Start& start);

    const Trace& trace_;
    bool neighbours_;
    Terms terms_;
    std::vector<std::set<std::uint32_t>> free_;  ///< Lanes, by node or pool of the floor.
    std::vector<KindId> kinds_;                  ///< Likewise.
    std::vector<std::uint32_t> first_lane_;      ///< By node.
    std::vector<std::uint32_t> home_;            ///< By lane: its node or pool.
    std::unordered_map<std::uint64_t, Stay> stays_;
    std::vector<measure::Spell> spells_;
    Instant until_ = kNever;
};

}  // namespace sy::sim
