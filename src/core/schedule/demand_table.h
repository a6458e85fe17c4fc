// DemandTable: what is asked for, each once, under a small number.
//
// A demand that was made known stays. One that came with a task goes with the last task that has it, and its number is
// given again: a service that runs for years does not remember everything it was ever asked for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/model/job.h"

namespace sy::schedule {

class DemandTable {
public:
    std::size_t size() const { return entries_.size(); }
    const Demand& operator[](DemandId id) const { return entries_[id.value()].demand; }

    /// For good.
    DemandId keep(const Demand& demand) {
        const DemandId id = find_or_add(demand);
        entries_[id.value()].kept = true;
        return id;
    }
    /// For as long as a task has it, from the next `came` on.
    DemandId find_or_add(const Demand& demand) {
        const auto [spot, is_new] = numbers_.try_emplace(demand, DemandId{});
        if (!is_new) return spot->second;
        if (spare_.empty()) {
            spot->second = DemandId(static_cast<std::uint32_t>(entries_.size()));
            entries_.emplace_back();
        } else {
            spot->second = spare_.back();
            spare_.pop_back();
        }
        entries_[spot->second.value()] = {demand, 0, false};
        return spot->second;
    }

    void came(DemandId id) { ++entries_[id.value()].tasks; }
    void left(DemandId id) {
        Entry& entry = entries_[id.value()];
        if (--entry.tasks > 0 || entry.kept) return;
        numbers_.erase(entry.demand);
        spare_.push_back(id);
    }

private:
    struct Entry {
        Demand demand;
        std::uint64_t tasks = 0;
        bool kept = false;
    };

    std::vector<Entry> entries_;
    std::map<Demand, DemandId> numbers_;
    std::vector<DemandId> spare_;
};

}  // namespace sy::schedule
