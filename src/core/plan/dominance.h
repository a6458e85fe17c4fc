// Dominance: remembers partial plans and says which new ones need not be followed, since one with the same jobs was at
// least as good in every way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/partial.h"

namespace sy::plan {

class Dominance {
public:
    using Time = Small::Time;

    explicit Dominance(const Small& small);

    /// True where the partial plan is no better than one seen before. Otherwise it is remembered, while there is room.
    bool seen_as_good(const Partial& partial);

private:
    struct Gpu {
        Time free = 0;
        std::uint64_t holds = 0;  ///< Model and group.

        friend auto operator<=>(const Gpu&, const Gpu&) = default;
    };

    void describe(const Partial& partial);
    void describe_gpus(const Partial& partial);
    bool same_jobs(const Time* known) const;
    /// Whether `a` allows everything that `b` does, and no later.
    bool as_good(const Time* a, const Time* b) const;
    bool gpu_as_good(std::uint32_t gpu, const Time* a, const Time* b) const;
    void remember(std::size_t& last);

    const Small& small_;
    std::size_t words_;                     ///< That hold the set of jobs.
    std::vector<std::uint32_t> by_family_;  ///< GPUs, families together.
    std::vector<Gpu> gpus_;
    std::vector<Time> now_;          ///< The partial plan as numbers.
    std::vector<Time> known_;        ///< All remembered, each behind the place of the one before in its row.
    std::vector<std::size_t> last_;  ///< Place of the last one in each row; 0 where the row is empty.
};

}  // namespace sy::plan
