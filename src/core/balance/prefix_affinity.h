// Prefix affinity (S7): an LLM call goes where the longest part of its prompt was served lately, if that one has room.
//
// Whoever served a prefix has its keys and values at hand and need not compute them again. Load is work in flight by
// the size of requests: a pick never goes to a replica that has (1 + epsilon) of its part of all work already (room.h),
// so the gain is never bought with an overloaded replica. epsilon 0 is close to least work; a large one is pure
// affinity.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/balance/load_tree.h"
#include "core/balance/policy.h"
#include "core/balance/prefix_blocks.h"
#include "core/balance/prefix_memory.h"
#include "core/balance/room.h"

namespace sy::balance {

class PrefixAffinity final : public Policy {
public:
    explicit PrefixAffinity(const Settings& settings) : tuning_(settings.tuning), memory_(settings.remembered_blocks) {}

    Slot pick(const Fleet& fleet, const Request& request) override;
    void load_changed(const Fleet& fleet, Slot slot) override;
    void tune(const Tuning& tuning) override { tuning_ = tuning; }

private:
    /// The part of a prompt that somebody served, from its beginning on.
    struct Known {
        std::array<PrefixMemory::Spot, kMostBlocks> spots;  ///< The first `length` are set.
        std::size_t length = 0;
    };
    struct Choice {
        Slot slot = 0;
        std::size_t matched = 0;
    };
    struct Given {
        std::uint64_t stay = 0;
        std::uint64_t blocks = 0;
    };

    void refresh(const Fleet& fleet);
    Standing standing_of(const Replica& replica, Slot slot) const;
    Known look_up(std::span<const std::uint64_t> blocks) const;
    std::optional<Choice> longest_match(const Fleet& fleet, const Request& request, const Known& known) const;
    std::optional<Slot> best_holder(const Fleet& fleet, PrefixMemory::Spot spot, const Room& room) const;
    void remember(std::span<const std::uint64_t> blocks, const Known& known, PrefixMemory::Holder holder);

    Tuning tuning_;
    PrefixMemory memory_;
    LoadTree tree_;
    std::vector<Given> given_;  ///< By slot: how many blocks each was given that it had not served lately.
    std::uint64_t seen_ = 0;
};

}  // namespace sy::balance
